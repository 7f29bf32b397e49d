import type { Command } from 'commander';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { detailsOf } from '../../listeners/listener.js';
import { SettingsReader } from '../../service/config/settings.js';
import { contextOf } from '../command-context.js';
import { change, printChanged } from './operate.js';
import { noticeSentence, removalNoticesOf } from './removal-notice.js';

/** `listeners unsubscribe`: removes a listener. */
export async function unsubscribe(listener: string, _: object, command: Command): Promise<void> {
  const context = contextOf(command);
  const listenerId = canonicalUuid(listener);
  const notices = removalNoticesOf(new SettingsReader(process.env));
  const changed = await context.withStores((stores) => change(context, stores, { change: 'unsubscribe', listenerId }));
  if (changed.events.length > 0) notices?.onRemoved(detailsOf(changed.state));
  const [notice] = (await notices?.results()) ?? [];
  printChanged(context, changed, { notice: notice ?? null }, notice && noticeSentence(notice));
}
