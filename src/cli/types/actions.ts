import { readFileSync } from 'node:fs';
import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  listEventTypesRoute,
  retireEventTypeRoute,
  showEventTypeRoute,
} from '../../admin/api/contracts/event-types.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import type { CommandContext } from '../context.js';
import { type Output, printResult, printRows } from '../output.js';

type Definition = { schema?: string; example?: string; searchable?: string };

export async function add(name: string, options: Definition, { output, call }: CommandContext): Promise<void> {
  printChanged(output, await call(declareEventTypeRoute, { name, ...withJson(options) }));
}

export async function change(name: string, options: Definition, { output, call }: CommandContext): Promise<void> {
  printChanged(output, await call(changeEventTypeRoute, { name, ...withJson(options) }));
}

export async function retire(name: string, _: object, { output, call }: CommandContext): Promise<void> {
  printChanged(output, await call(retireEventTypeRoute, { name }));
}

export async function list(_: object, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listEventTypesRoute),
    {
      type: 'name',
      version: 'version',
      schema: ({ schema }) => (schema === null ? 'none' : 'yes'),
      example: ({ example }) => (example === null ? 'none' : 'yes'),
      searchable: ({ searchable }) => searchable.join(','),
      description: 'description',
    },
    'no event type is declared',
  );
}

export async function show(name: string, _: object, { output, call }: CommandContext): Promise<void> {
  const found = await call(showEventTypeRoute, { name });
  printResult(output, found, JSON.stringify(found));
}

function printChanged(output: Output, type: RouteAnswer<typeof changeEventTypeRoute>): void {
  const { name, state, version, changed } = type;
  printResult(output, type, changed.length === 0 ? 'nothing changed' : `${name} is ${state}, version ${version}`);
}

const withJson = ({ schema, example, searchable, ...options }: Definition) => ({
  ...options,
  searchable: searchable?.split(',').filter(Boolean),
  schema: schema === undefined ? undefined : jsonOf('--schema', schema),
  example: example === undefined ? undefined : jsonOf('--example', example),
});

/** The JSON of an option: `@file` reads a file, `-` standard input. Throws `InvalidRequest`, which names the option. */
function jsonOf(option: string, text: string): unknown {
  try {
    if (text === '-') return parseJson(readFileSync(0, 'utf8'));
    return parseJson(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (error) {
    throw new InvalidRequest(`${option} cannot be read as JSON: ${(error as Error).message}`); // of the file system or the parser
  }
}
