import type { Command } from 'commander';
import { keptUuid } from '../../asked-uuid.js';
import { registrationOf } from '../../listeners/listener.js';
import { SettingsReader } from '../../settings.js';
import { contextOf } from '../command-context.js';
import { removalNoticesOf, toldSentence } from '../removal-notice.js';
import { change, printChanged } from './operate.js';

/** `listeners unsubscribe`: removes a hook. */
export async function unsubscribe(listener: string, _: object, command: Command): Promise<void> {
  const context = contextOf(command);
  const listenerId = keptUuid(listener);
  const notices = removalNoticesOf(new SettingsReader(process.env));
  const changed = await context.withStores((stores) => change(context, stores, { change: 'unsubscribe', listenerId }));
  if (changed.events.length > 0) notices?.onRemoved(registrationOf(changed.state));
  const [told] = (await notices?.results()) ?? [];
  printChanged(context, changed, { notice: told ?? null }, told && toldSentence(told));
}
