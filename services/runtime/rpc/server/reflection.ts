/** The standard gRPC server reflection: tools read from it which RPCs there are and what their messages look like. */
import {
  create,
  createRegistry,
  toBinary,
  type DescFile,
  type MessageInitShape,
  type Registry,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
} from "#gen/proto/grpc/reflection/v1/reflection_pb.ts";

type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

/** Describes the services that `router` has by now. */
export function reflectionRoutes(router: ConnectRouter): void {
  const services = new Set(router.handlers.map(({ service }) => service)).add(ServerReflection);
  const files = new Set<DescFile>();
  for (const { file } of services) addWithImports(file, files);
  const registry = createRegistry(...files);
  const serviceNames = [...services].map(({ typeName }) => typeName);
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        const messageResponse = answerTo(originalRequest, { serviceNames, files, registry });
        const { host: validHost } = originalRequest;
        yield create(ServerReflectionResponseSchema, {
          validHost,
          originalRequest,
          messageResponse,
        });
      }
    },
  });
}

type Known = { serviceNames: string[]; files: ReadonlySet<DescFile>; registry: Registry };

function answerTo({ messageRequest }: ServerReflectionRequest, known: Known): Answer {
  const { serviceNames, files, registry } = known;
  switch (messageRequest.case) {
    case "listServices": {
      const service = serviceNames.map((name) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileAnswer([...files].find(({ name }) => `${name}.proto` === messageRequest.value));
    case "fileContainingSymbol":
      return fileAnswer(fileOfSymbol(registry, messageRequest.value));
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = messageRequest.value;
      const extension = extensionsOf(registry, containingType).find(
        ({ number }) => number === extensionNumber,
      );
      return fileAnswer(extension?.file);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = messageRequest.value;
      if (!registry.getMessage(baseTypeName)) return fileAnswer(undefined);
      const extensionNumber = extensionsOf(registry, baseTypeName).map(({ number }) => number);
      return {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName, extensionNumber },
      };
    }
    default:
      return errorAnswer(Code.InvalidArgument, "set one field of message_request");
  }
}

/** `symbol` may name a type, or what is within one: a method, a field, a value. */
function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const found = registry.get(symbol);
  if (found) return found.file;
  const end = symbol.lastIndexOf(".");
  return registry.get(symbol.slice(0, Math.max(end, 0)))?.file;
}

function extensionsOf(registry: Registry, typeName: string) {
  return [...registry]
    .filter((type) => type.kind === "extension")
    .filter(({ extendee }) => extendee.typeName === typeName);
}

function fileAnswer(file: DescFile | undefined): Answer {
  if (!file) return errorAnswer(Code.NotFound, "there is no such name");
  const fileDescriptorProto = [...addWithImports(file, new Set())].map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function errorAnswer(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** Adds the file to `files`, after what it imports. */
function addWithImports(file: DescFile, files: Set<DescFile>): Set<DescFile> {
  if (files.has(file)) return files;
  for (const imported of file.dependencies) addWithImports(imported, files);
  return files.add(file);
}
