/** Values that fit into one line of this length are not broken. */
const maxLine = 60;

/** JSON indented by two spaces; objects and arrays that fit into a line stay in one. */
export function prettyJson(value: unknown, indent = ''): string {
  if (!hasParts(value)) return JSON.stringify(value);
  const line = inOneLine(value, maxLine - indent.length);
  if (line !== undefined) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => prettyJson(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${prettyJson(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

/** Undefined if longer than `max` characters, without reading all of a large value. */
function inOneLine(value: unknown, max: number): string | undefined {
  if (typeof value === 'string' && value.length > max) return undefined;
  if (!hasParts(value)) return within(JSON.stringify(value), max);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let line = `${open}`;
  for (const name in value) {
    const each = inOneLine((value as Readonly<Record<string, unknown>>)[name], max - line.length);
    if (each === undefined) return undefined;
    const separator = line.length > 1 ? ', ' : '';
    line += Array.isArray(value) ? `${separator}${each}` : `${separator}${JSON.stringify(name)}: ${each}`;
    if (line.length > max) return undefined;
  }
  return within(`${line}${close}`, max);
}

/** A raw number has none. */
const hasParts = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value);

const within = (text: string, max: number): string | undefined => (text.length > max ? undefined : text);
