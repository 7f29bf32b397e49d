import { readFileSync } from 'node:fs';
import { changeEventTypeRequest, declareEventTypeRequest, eventTypeName } from '../../flows/types/event-type.js';
import {
  findEventType,
  listEventTypes,
  type OperateEventType,
  operateEventType,
} from '../../flows/types/operate-event-types.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { Json } from '../../stores/event-store/event-store.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { allItems } from '../views.js';

type Definition = { readonly schema?: string; readonly example?: string; readonly searchable?: string };

export async function add(name: string, options: Definition, context: CommandContext): Promise<void> {
  const request = parseOptions(declareEventTypeRequest, { name, ...withJson(options) });
  await operate({ change: 'declare', ...request }, context);
}

export async function change(name: string, options: Definition, context: CommandContext): Promise<void> {
  const request = parseOptions(changeEventTypeRequest, { name, ...withJson(options) });
  await operate({ change: 'change', ...request }, context);
}

export async function retire(name: string, _: object, context: CommandContext): Promise<void> {
  await operate({ change: 'retire', ...parseOptions({ name: eventTypeName }, { name }) }, context);
}

export async function list(_: object, { output, withStores }: CommandContext): Promise<void> {
  const types = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return allItems(
      (after) => listEventTypes(readModel, { after }),
      (page) => page.items,
    );
  });
  printRows(
    output,
    types,
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

export async function show(type: string, _: object, { output, withEventStore }: CommandContext): Promise<void> {
  const { name } = parseOptions({ name: eventTypeName }, { name: type });
  const found = await withEventStore((store) => findEventType(store, name));
  printResult(output, found, JSON.stringify(found));
}

async function operate(request: OperateEventType, { output, causeNow, withEventStore }: CommandContext): Promise<void> {
  const operated = await withEventStore((store) => operateEventType(store, request, causeNow()));
  const { name, state, version, changed } = operated;
  const sentence = changed.length === 0 ? 'nothing changed' : `${name} is ${state}, version ${version}`;
  printResult(output, operated, sentence);
}

const withJson = ({ schema, example, searchable, ...options }: Definition) => ({
  ...options,
  searchable: searchable?.split(',').filter(Boolean),
  schema: schema === undefined ? undefined : jsonOf('--schema', schema),
  example: example === undefined ? undefined : jsonOf('--example', example),
});

/** The JSON of an option: `@file` reads a file, `-` standard input. Throws `InvalidRequest`, which names the option. */
function jsonOf(option: string, text: string): Json {
  try {
    if (text === '-') return JSON.parse(readFileSync(0, 'utf8')) as Json;
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text) as Json;
  } catch (error) {
    throw new InvalidRequest(`${option} cannot be read as JSON: ${(error as Error).message}`); // of the file system or the parser
  }
}
