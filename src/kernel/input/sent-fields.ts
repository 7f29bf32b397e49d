import { z } from 'zod';

type Path = readonly PropertyKey[];
/** A field whose name differs only in case from that of a known field, `name`. */
type Misnamed = { path: Path; name: string };
type Reading = (input: unknown, path: Path, misnamed: Misnamed[]) => unknown;

/**
 * The input without absent fields: null is absent where a field is optional and null is no value of it, since serialisers
 * of C#, Java and Go write unset properties as null. `misnamed`: fields that would be ignored, or refused without a
 * reason, and are mistakes.
 */
export function sentFields(schema: z.ZodType, input: unknown): { sent: unknown; misnamed: readonly Misnamed[] } {
  const misnamed: Misnamed[] = [];
  const reading = readingOf(schema);
  return { sent: reading ? reading(input, [], misnamed) : input, misnamed };
}

export const isNullAbsent = (schema: z.ZodType): boolean =>
  schema.safeParse(undefined).success && !schema.safeParse(null).success;

/** Each schema is examined once. */
const readings = new WeakMap<z.ZodType, { reading: Reading | undefined }>();

/** Undefined for schemas without objects. */
function readingOf(schema: z.ZodType): Reading | undefined {
  const known = readings.get(schema) ?? { reading: newReading(schema) };
  readings.set(schema, known);
  return known.reading;
}

function newReading(schema: z.ZodType): Reading | undefined {
  if (schema instanceof z.ZodObject) return objectReading(schema.shape as Readonly<Record<string, z.ZodType>>);
  if (schema instanceof z.ZodArray) return arrayReading(schema.element as z.ZodType);
  const inner = innerOf(schema);
  return inner && readingOf(inner as z.ZodType); // zod's types name its core here
}

function innerOf(schema: z.ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return schema.unwrap();
  }
  if (!(schema instanceof z.ZodPipe)) return undefined;
  return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
}

function objectReading(shape: Readonly<Record<string, z.ZodType>>): Reading {
  const fields = new Map(
    Object.entries(shape).map(([name, field]) => [
      name,
      { isNullAbsent: isNullAbsent(field), reading: readingOf(field) },
    ]),
  );
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));

  return (input, path, misnamed) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input; // the schema refuses it
    let isChanged = false;
    const sent: [string, unknown][] = [];
    for (const [name, value] of Object.entries(input)) {
      const field = fields.get(name);
      const known = field ? undefined : names.get(name.toLowerCase());
      if (known !== undefined) misnamed.push({ path: [...path, name], name: known });
      const read = field?.reading ? field.reading(value, [...path, name], misnamed) : value;
      const isAbsent = value === null && field?.isNullAbsent;
      isChanged ||= isAbsent || read !== value;
      if (!isAbsent) sent.push([name, read]);
    }
    return isChanged ? Object.fromEntries(sent) : input;
  };
}

function arrayReading(element: z.ZodType): Reading | undefined {
  const reading = readingOf(element);
  return (
    reading &&
    ((input, path, misnamed) => {
      if (!Array.isArray(input)) return input;
      const read = input.map((each, index) => reading(each, [...path, index], misnamed));
      return read.some((each, index) => each !== input[index]) ? read : input;
    })
  );
}
