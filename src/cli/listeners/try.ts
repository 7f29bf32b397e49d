import type { Command } from 'commander';
import { listenersView } from '../../../projections/listeners.js';
import { type EventToTry, type TriedEvent, tryRegistered } from '../../deliveries/queries/try-event.js';
import { transformer } from '../../deliveries/transforms/transformer.js';
import { publishRequest } from '../../flows/contract.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { contextOf } from '../command-context.js';
import { parseData } from '../flows/parse-data.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly type: string; readonly data: string; readonly id?: string };

const { type, data, id } = publishRequest.shape;

/** `listeners try`: what a listener would receive of an event, after its filter and transformation. */
export async function tryListener(listener: string, options: Options, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const event = parseOptions({ type, data, id }, { ...options, data: parseData(options.data) });
  const tried = await withStores((stores) => tryOn(stores, canonicalUuid(listener), event));
  printResult(output, tried, tried.sent ? JSON.stringify(tried.body) : `nothing would be sent: ${tried.because}`);
}

async function tryOn(stores: Stores, listenerId: string, event: EventToTry): Promise<TriedEvent> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const view = watch({ store, readModel, projection: listenersView });
  const transforms = transformer();
  const dependencies = { store, findListener: findListener({ store, readModel, viewPassed: view.passed }) };
  try {
    return await tryRegistered({ ...dependencies, transform: transforms.transform }, listenerId, event, new Date());
  } finally {
    transforms.stop();
    await view.stop();
  }
}
