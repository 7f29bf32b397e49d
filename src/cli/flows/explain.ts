import { listenerHistory } from '../../../projections/listener-history.js';
import { explainFlowEvent } from '../../deliveries/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/explain/explained-summary.js';
import { listenerIdParameter, opaqueId } from '../../kernel/input/texts.js';
import { viewCaughtUp } from '../../stores/read-model/follower.js';
import type { CommandContext } from '../context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { allItems, withView } from '../views.js';

const subject = { orgId: opaqueId, listenerId: listenerIdParameter.optional() };

export async function explain(
  eventId: string,
  options: { readonly hookUrl?: string },
  { output, withStores }: CommandContext,
): Promise<void> {
  const { hookUrl } = options;
  const asked = { ...parseOptions(subject, options), hookUrl, eventId, limit: 500 };
  const listeners = await withStores((stores) =>
    withView(stores, listenerHistory, async ({ store, readModel, viewPassed }) => {
      const historyCaughtUp = viewCaughtUp(store, 'listener', viewPassed);
      const sources = { store, readModel, queue: await stores.deliveries(), historyCaughtUp, clock: Date.now };
      return allItems(
        (after) => explainFlowEvent(sources, { ...asked, after }),
        (page) => explainedSummary(page, { byHookUrl: hookUrl !== undefined }).items,
      );
    }),
  );
  printRows(
    output,
    listeners,
    { 'hook URL': 'hookUrl', listener: 'listenerId', outcome: 'outcome', because: 'because' },
    `${asked.orgId} never had a listener`,
  );
}
