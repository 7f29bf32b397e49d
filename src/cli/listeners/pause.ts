import type { Command } from 'commander';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { change, printChanged } from './operate.js';

/** `listeners pause`: keeps the listener and holds its deliveries. */
export async function pause(listener: string, _: object, command: Command): Promise<void> {
  const context = contextOf(command);
  const listenerId = canonicalUuid(listener);
  const changed = await context.withStores((stores) => change(context, stores, { change: 'pause', listenerId }));
  printChanged(context, changed);
}
