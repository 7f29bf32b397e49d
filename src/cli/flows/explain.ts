import type { Command } from 'commander';
import { listenerHistory } from '../../../projections/listener-history.js';
import { type Explained, type ExplainRequest, explainFlowEvent } from '../../deliveries/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/explain/explained-summary.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { listenerIdParameter } from '../../kernel/input/uuid-parameter.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { viewCaughtUp } from '../../stores/read-model/view-caught-up.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly org: string; readonly listener?: string; readonly hookUrl?: string };
type Asked = Pick<ExplainRequest, 'orgId' | 'eventId' | 'listenerId' | 'hookUrl'>;

const subject = { orgId: opaqueId, listenerId: listenerIdParameter.optional() };

/** `flows explain`: the outcome of a flow event for each listener, and its reason. */
export async function explain(eventId: string, { org, listener, hookUrl }: Options, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId, listenerId } = parseOptions(subject, { orgId: org, listenerId: listener });
  const pages = await withStores((stores) => explained(stores, { orgId, listenerId, hookUrl, eventId }));
  const listeners = pages.flatMap((page) => explainedSummary(page, { byHookUrl: hookUrl !== undefined }).items);
  printRows(
    output,
    listeners,
    {
      'hook URL': ({ hookUrl }) => hookUrl,
      listener: ({ listenerId }) => listenerId,
      outcome: ({ outcome }) => outcome,
      because: ({ because }) => because,
    },
    `${org} never had a listener`,
  );
}

/** Reads the view of a running service; waits for the view as long as a service does. */
async function explained(stores: Stores, asked: Asked): Promise<readonly Explained[]> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const queue = await stores.deliveries();
  const view = watch({ store, readModel, projection: listenerHistory });
  const historyCaughtUp = viewCaughtUp(store, 'listener', view.passed);
  const sources = { store, readModel, queue, historyCaughtUp, clock: Date.now };
  try {
    return await pagesOf(async (after) => {
      const page = await explainFlowEvent(sources, { ...asked, limit: 500, after });
      return { items: [page], next: page.next };
    });
  } finally {
    await view.stop();
  }
}
