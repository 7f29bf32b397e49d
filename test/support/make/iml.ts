import { createHash } from 'node:crypto';

/** The variables of a place in an app, such as `connection` or `body`. Others do not exist there. */
export type Variables = Readonly<Record<string, unknown>>;

type Value = unknown;
type ImlFunction = (...values: readonly never[]) => Value;

const isEmpty = (value: Value): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
const later = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

/** The built-in functions that the app uses, as Make documents them: https://help.make.com/functions. */
const functions: Readonly<Record<string, ImlFunction>> = {
  addMinutes: (date: Date, minutes: number) => later(date, minutes * 60_000),
  addSeconds: (date: Date, seconds: number) => later(date, seconds * 1_000),
  base64url: (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  contains: (text: string, part: string) => text.includes(part),
  if: (condition: Value, yes: Value, no: Value) => (condition ? yes : no),
  ifempty: (value: Value, fallback: Value) => (isEmpty(value) ? fallback : value),
  join: (values: readonly string[], separator: string) => values.join(separator),
  min: (...values: readonly number[]) => Math.min(...values),
  parseJSON: (text: string) => JSON.parse(text) as Value,
  // Text between slashes is a regular expression: the app searches for these only.
  replace: (text: string, search: string, replacement: string) =>
    text.replace(new RegExp(search.replace(/^\/(.*)\/$/, '$1')), replacement),
  sha256: (text: string, encoding: 'base64' | 'hex') => createHash('sha256').update(text).digest(encoding),
  toCollection: (items: readonly Readonly<Record<string, Value>>[] | undefined, key: string, value: string) =>
    Object.fromEntries((items ?? []).map((item) => [item[key], item[value]])),
  upper: (text: string) => text.toUpperCase(),
};

/** A value of an app's JSON with all its templates (`{{…}}`) evaluated. Throws for variables and functions that do not exist. */
export function evaluate(value: Value, variables: Variables): Value {
  if (typeof value === 'string') return evaluateText(value, variables);
  if (Array.isArray(value)) return value.map((each) => evaluate(each, variables));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).flatMap(([key, each]) => {
    const evaluated = evaluate(each, variables);
    return key === '{{...}}' ? Object.entries(evaluated as object) : [[key, evaluated] as const];
  });
  return Object.fromEntries(entries);
}

/** A template alone has a value of any type; among other text it becomes text. */
function evaluateText(text: string, variables: Variables): Value {
  const alone = /^\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text)?.[1];
  if (alone !== undefined) return evaluateExpression(alone, variables);
  return text.replace(/\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluateExpression(expression, variables) ?? ''),
  );
}

const tokens =
  /\s*(?:(?<text>'[^'\\]*')|(?<number>\d+)|(?<path>[A-Za-z_]\w*(?:\.(?:\w+|`[^`]*`))*)(?<call>\()?|(?<operator>[=!<>]=|&&|\|\||[-+*/%<>!(),]))/y;

/** IML's expressions are JavaScript's, apart from paths, which may lead nowhere, and from `==`, which is strict. */
function evaluateExpression(expression: string, variables: Variables): Value {
  let script = '';
  tokens.lastIndex = 0;
  for (const source = expression.trim(); tokens.lastIndex < source.length; ) {
    const groups = tokens.exec(source)?.groups;
    if (!groups) throw new Error(`not an expression: ${expression}`);
    const { text, number, path, call, operator = '' } = groups;
    if (path !== undefined)
      script += call ? `functionOf(${JSON.stringify(path)})(` : `variableAt(${JSON.stringify(path)})`;
    else script += text ?? number ?? operator.replace(/^([=!])=$/, '$1==');
  }
  const functionOf = (name: string): ImlFunction => functions[name] ?? fail(`no function ${name} in: ${expression}`);
  const variableAt = (path: string): Value => valueAt(path, variables);
  return new Function('functionOf', 'variableAt', `return (${script});`)(functionOf, variableAt) as Value;
}

function valueAt(path: string, variables: Variables): Value {
  const [root = '', ...keys] = [...path.matchAll(/`([^`]*)`|\w+/g)].map(([key, quoted]) => quoted ?? key);
  if (!(root in variables)) fail(`no variable ${root} here: ${path}`);
  return keys.reduce<Value>((value, key) => (value as Variables | null | undefined)?.[key], variables[root]);
}

function fail(why: string): never {
  throw new Error(why);
}
