/** The document's answer schemas, as Fastify's serializer must read them to keep the document's order of fields. */

/**
 * The schema without its lists of required fields: the serializer writes those first, whatever their order. What is
 * not in the schema it leaves out; that nothing required is missing is for the types of the operations to see to.
 */
export function inDocumentOrder(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDocumentOrder);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    // A property may be called "required"; its value is a schema.
    ([name, value]) => name !== "required" || !Array.isArray(value),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, inDocumentOrder(value)]));
}
