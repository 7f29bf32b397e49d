import type { ComponentChildren, VNode } from 'preact';
import type { z } from 'zod';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import { type DescribedField, describedField } from '../../http/described-field.js';
import { CheckBox, CheckBoxes, Field, type FieldProps } from '../components/form.js';
import { upperFirst } from '../components/time.js';
import { type Fields, jsonField, numberField, utcInstant } from '../fields.js';
import type { PageRequest } from '../page-request.js';

/** Texts of a field, and differences from its contract. */
export type FieldText<Item> = Partial<Omit<FieldProps, 'name' | 'options' | 'value' | 'placeholder'>> & {
  label: string;
  /** Texts of the choices, by value. */
  choices?: Readonly<Record<string, string>>;
  /** The text at first; by default the field of the item, or the default of the contract. */
  value?: (item: Item, at: PageRequest) => string | undefined;
  placeholder?: string | ((item: Item) => string);
  /** False: the form does not have the field. */
  when?: (item: Item) => boolean;
  /** Sent for an empty field: by default null where the contract has it, else nothing. */
  empty?: unknown;
};

/** Fields of a form in their order: a label, more than a label, or a part of the form that is no field of the route. */
export type FormFields<Item> = Readonly<
  Record<string, string | FieldText<Item> | ((at: PageRequest, item: Item) => ComponentChildren)>
>;

type Shape = Readonly<Record<string, z.ZodType>>;

export const shapeOf = ({ params, query, body, method }: AnyAdminRoute): Shape => ({
  ...(params.shape as Shape),
  ...((method === 'get' ? query.shape : (body as z.ZodObject).shape) as Shape), // of every route of operators
});

const textOf = <Item,>(text: string | FieldText<Item>): FieldText<Item> =>
  typeof text === 'string' ? { label: text } : text;

/** A value of an answer as a field has it. */
function fieldValue(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return '';
  if (isJson) return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.join('\n') : String(value);
}

type RouteFieldProps<Item> = {
  name: string;
  schema: z.ZodType;
  text: FieldText<Item>;
  item: Item;
  at: PageRequest;
  isFilter?: boolean;
};

/** A control for a field of a route: its kind, limits and choices are those of the schema. */
export function RouteField<Item>({ name, schema, text, item, at, isFilter = false }: RouteFieldProps<Item>): VNode {
  const { label, choices: texts, value: valueIn, when: _, empty: __, placeholder, ...props } = text;
  const described = describedField(schema);
  const { type, choices, isOptional, isTime, isInteger, maxLength, min, max, usual } = described;
  const known = (item as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (type === 'flag') return <CheckBox name={name} label={label} checked={known === true} />;
  if (type === 'list' && choices) {
    return <CheckBoxes legend={label} name={name} all={choices} ticked={(known ?? usual ?? []) as readonly string[]} />;
  }
  const first = fieldValue(known === undefined ? usual : known, type === 'json');
  const options = choices?.map((choice) => ({ value: choice, text: texts?.[choice] ?? upperFirst(choice) }));
  return (
    <Field
      name={name}
      label={label}
      value={valueIn ? valueIn(item, at) : first}
      required={!isOptional && !isFilter}
      maxLength={maxLength}
      placeholder={typeof placeholder === 'function' ? placeholder(item) : placeholder}
      {...(options && { options: isFilter ? [{ value: '', text: texts?.[''] ?? 'All' }, ...options] : options })}
      {...(type === 'number' && {
        type: 'number',
        step: isInteger ? '1' : 'any',
        min: min?.toString(),
        max: max?.toString(),
      })}
      {...(isTime && { type: 'datetime-local' })}
      {...props}
    />
  );
}

/** The fields of a form, or of a filter. */
export const RouteFields = <Item,>({
  route,
  fields,
  item,
  at,
  isFilter = false,
}: {
  route: AnyAdminRoute;
  fields: FormFields<Item>;
  item: Item;
  at: PageRequest;
  isFilter?: boolean;
}) => {
  const shape = shapeOf(route);
  return (
    <>
      {Object.entries(fields).map(([name, field]) => {
        if (typeof field === 'function') return field(at, item);
        const [text, schema] = [textOf(field), shape[name]];
        if (schema === undefined) throw new Error(`${route.name} has no field ${name}`);
        if (text.when?.(item) === false) return null;
        return <RouteField key={name} {...{ name, schema, text, item, at, isFilter }} />;
      })}
    </>
  );
};

/** The values of the fields of a form that was sent, and of those that it carries. Throws `InvalidRequest`. */
export function sentFields(
  route: AnyAdminRoute,
  fields: FormFields<never>,
  carried: readonly string[],
  { form, caller }: PageRequest,
): Readonly<Record<string, unknown>> {
  const shape = shapeOf(route);
  const hidden = carried.filter((name) => form.text(name) !== undefined).map((name) => [name, {}] as const);
  return Object.fromEntries(
    [...hidden, ...Object.entries<object | string>(fields)].flatMap(([name, field]) => {
      const schema = shape[name];
      if (schema === undefined) return [];
      if (name === 'orgId' && caller.orgId !== null) return [[name, caller.orgId]];
      const described = describedField(schema);
      const { empty = described.isNullable ? null : undefined, lines } = (
        typeof field === 'object' ? field : {}
      ) as Partial<FieldText<never>>;
      return [[name, sentValue(name, described, form, lines !== undefined) ?? empty]];
    }),
  );
}

/** Undefined for an empty field. A required text is sent empty: the refusal names its rule. */
function sentValue(
  name: string,
  { type, choices, isOptional, isTime }: DescribedField,
  form: Fields,
  hasLines: boolean,
): unknown {
  if (type === 'flag') return form.text(name) === 'true';
  if (type === 'number') return numberField(form, name);
  if (type === 'json') return jsonField(form, name);
  if (type === 'list' && choices) return choices.filter((choice) => form.all(name).includes(choice));
  const text = form.text(name);
  if (type === 'list') return listOf(text ?? '', hasLines ? '\n' : /[\s,]+/);
  return (isTime ? utcInstant(text) : text) ?? (isOptional ? undefined : '');
}

const listOf = (text: string, separator: string | RegExp): readonly string[] =>
  text
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '');
