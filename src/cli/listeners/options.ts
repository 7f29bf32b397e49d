import type { Command } from 'commander';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { rateOf } from '../rate-option.js';
import { change, printChanged } from './operate.js';

type Options = { readonly ordered?: boolean; readonly rate?: string };

/** `listeners options`: changes order and rate of a listener. */
export async function options(listener: string, { ordered, rate }: Options, command: Command): Promise<void> {
  if (ordered === undefined && rate === undefined) {
    throw new UsageError('give an option to change: --ordered, --no-ordered or --rate');
  }
  const context = contextOf(command);
  const listenerId = canonicalUuid(listener);
  const ratePerSecond = rate === undefined ? undefined : rateOf(rate);
  const changed = await context.withStores((stores) =>
    change(context, stores, { change: 'options', listenerId, ordered, ratePerSecond }),
  );
  printChanged(context, changed);
}
