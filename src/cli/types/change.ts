import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { changeEventTypeRequest, declareEventTypeRequest, eventTypeName } from '../../flows/types/contract.js';
import { type OperateEventType, operateEventType } from '../../flows/types/operate-event-types.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly description?: string; readonly schema?: string; readonly example?: string };

/** `types add`. */
export async function add(name: string, options: Options, command: Command): Promise<void> {
  const request = parseOptions(declareEventTypeRequest, { name, ...withJson(options) });
  await operate({ change: 'declare', ...request }, command);
}

/** `types change`. */
export async function change(name: string, options: Options, command: Command): Promise<void> {
  const request = parseOptions(changeEventTypeRequest, { name, ...withJson(options) });
  await operate({ change: 'change', ...request }, command);
}

/** `types retire`. */
export async function retire(name: string, _: object, command: Command): Promise<void> {
  await operate({ change: 'retire', ...parseOptions({ name: eventTypeName }, { name }) }, command);
}

async function operate(request: OperateEventType, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const operated = await withStores(async (stores) =>
    operateEventType(await stores.events(), request, { cause, now: new Date() }),
  );
  const { name, state, version, changed } = operated;
  const sentence = changed.length === 0 ? 'nothing changed' : `${name} is ${state}, version ${version}`;
  printResult(output, operated, sentence);
}

const withJson = ({ schema, example, ...options }: Options) => ({
  ...options,
  schema: schema === undefined ? undefined : jsonOf('--schema', schema),
  example: example === undefined ? undefined : jsonOf('--example', example),
});

/** Throws `InvalidRequest`, which names the option. */
function jsonOf(option: string, text: string): Json {
  try {
    return JSON.parse(textOf(text)) as Json;
  } catch (error) {
    throw new InvalidRequest(`${option} cannot be read as JSON: ${(error as Error).message}`); // of the file system or the parser
  }
}

function textOf(text: string): string {
  if (text === '-') return readFileSync(0, 'utf8');
  return text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text;
}
