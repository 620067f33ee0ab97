/** Our subset of protovalidate's options matches the library that evaluates them. */
import type { DescField, DescExtension, DescFile } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { file_buf_validate_validate as theirs } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { describe, expect, it } from "vitest";
import { file_buf_validate_validate as ours } from "#gen/proto/buf/validate/validate_pb.ts";

/** The field's wire format and its name. */
function shapeOf({ name, number, proto, oneof }: DescField | DescExtension) {
  const { type, label, typeName, extendee } = proto;
  return { name, number, type, label, typeName, extendee, oneof: oneof?.name };
}

function fieldsOf(file: DescFile): Map<string, DescField | DescExtension> {
  const types = [...nestedTypes(file)];
  const fields = types.flatMap((type): [string, DescField | DescExtension][] => {
    if (type.kind === "extension") return [[type.typeName, type]];
    if (type.kind !== "message") return [];
    return type.fields.map((field) => [`${type.typeName}.${field.name}`, field]);
  });
  return new Map(fields);
}

describe("our buf/validate/validate.proto", () => {
  const known = fieldsOf(theirs);
  const declared = [...fieldsOf(ours)].map(([name, field]) => ({ name, field }));

  it.each(declared)("declares $name as the library does", ({ name, field }) => {
    const theirField = known.get(name);
    expect(shapeOf(field)).toEqual(theirField && shapeOf(theirField));
  });

  it("declares the option that holds the rules", () => {
    expect(declared.map(({ name }) => name)).toContain("buf.validate.field");
  });
});
