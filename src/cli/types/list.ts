import type { Command } from 'commander';
import { eventTypeName } from '../../flows/types/contract.js';
import { findEventType, listEventTypes } from '../../flows/types/operate-event-types.js';
import { contextOf } from '../command-context.js';
import { printResult, printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

/** `types list`: the declared types. */
export async function list(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const types = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { items, next } = await listEventTypes(readModel, { after });
      return { items, next: next ?? undefined };
    });
  });
  printRows(
    output,
    types,
    {
      type: ({ name }) => name,
      version: ({ version }) => version,
      schema: ({ schema }) => (schema === null ? 'none' : 'yes'),
      example: ({ example }) => (example === null ? 'none' : 'yes'),
      description: ({ description }) => description,
    },
    'no event type is declared',
  );
}

/** `types show`: a type with its schema and example. */
export async function show(name: string, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const parsed = parseOptions({ name: eventTypeName }, { name });
  const found = await withStores(async (stores) => findEventType(await stores.events(), parsed.name));
  printResult(output, found, JSON.stringify(found));
}
