import { z } from 'zod';

/** A field of a request, as commands and forms show it. */
export type DescribedField = {
  type: 'flag' | 'number' | 'list' | 'json' | 'text';
  choices: readonly string[] | undefined;
  isOptional: boolean;
  isNullable: boolean;
  hasDefault: boolean;
  /** Default that help names. */
  usual: unknown;
  text: string;
  isTime: boolean;
  isInteger: boolean;
  maxLength: number | undefined;
  min: number | undefined;
  max: number | undefined;
};

const types: Readonly<Record<string, DescribedField['type']>> = {
  boolean: 'flag',
  number: 'number',
  array: 'list',
  unknown: 'json',
  custom: 'json',
};

/** `text`: instead of the description in the contract. */
export function describedField(field: z.ZodType, text?: string | null): DescribedField {
  let schema: z.core.$ZodType = field;
  let description = field.description;
  let isNullable = false;
  let hasDefault = false;
  let usual: unknown;
  for (;;) {
    if (schema instanceof z.ZodNullable) isNullable = true;
    if (schema instanceof z.ZodDefault) {
      hasDefault = true;
      usual = schema.def.defaultValue;
    }
    if (schema instanceof z.ZodPipe) schema = schema.in instanceof z.ZodTransform ? schema.out : schema.in;
    else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
      schema = schema.unwrap();
    else break;
    description ??= (schema as z.ZodType).description;
  }
  const value = schema instanceof z.ZodArray ? schema.element : schema;
  const choices = value instanceof z.ZodEnum ? value.options.map(String) : undefined;
  const isOptional = field.safeParse(undefined).success;
  const type = types[schema._zod.def.type] ?? 'text';
  const described = shortened(description ?? '');
  const { format, maxLength } = (schema as z.ZodType).meta() ?? {};
  return {
    type,
    choices,
    isOptional,
    isNullable,
    hasDefault,
    usual: usual === false || usual === null ? undefined : usual,
    text: text ?? (type === 'number' ? described.replace('null:', 'none:') : described.replace(/; null: [^;]*$/, '')),
    isTime: format === 'date-time' || schema instanceof z.ZodISODateTime,
    isInteger: schema instanceof z.ZodNumber && schema.isInt,
    maxLength:
      typeof maxLength === 'number' ? maxLength : (schema instanceof z.ZodString && schema.maxLength) || undefined,
    min: finite(schema instanceof z.ZodNumber ? schema.minValue : null),
    max: finite(schema instanceof z.ZodNumber ? schema.maxValue : null),
  };
}

/** Integers have the limits of exact ones. */
const finite = (limit: number | null): number | undefined =>
  limit === null || !Number.isFinite(limit) || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;

/** `The ID of a listener.` as `the ID of a listener`. */
const shortened = (description: string): string =>
  description
    .replace(/`/g, '')
    .replace(/\.$/, '')
    .replace(
      /(^|\. )([A-Z])(?=[a-z ])/g,
      (_, before: string, letter: string) => `${before && '; '}${letter.toLowerCase()}`,
    );
