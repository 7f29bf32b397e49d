import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readFeedRoute } from '../../admin/api/contracts/feed.js';
import { listOrganisationsRoute } from '../../admin/api/contracts/organisations.js';
import { signature, signingKey } from '../../deliveries/worker/signed-headers.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { DomainError } from '../../kernel/domain-error.js';
import { version } from '../../kernel/version.js';
import { webhookHeaders, webhookTimestamp } from '../../queue/delivery.js';
import { endOfNpm } from '../../service/serve.js';
import { masterKeysOf } from '../connection/keys-of-service.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { type Output, printResult, printWarning } from '../output.js';

export type ForwardOptions = { forwardTo: string; org?: string; type?: string; secret?: string };

type Item = RouteAnswer<typeof readFeedRoute>['items'][number];
type Event = Extract<Item, { kind: 'event' }>;
type Gap = Extract<Item, { kind: 'gap' }>;

const retryMs = { first: 1_000, max: 10_000 };
const answerTimeoutMs = 30_000;
/** Items of a page, and seconds for which the service waits for its first event. */
const asked = { limit: '50', wait: '20' };

/**
 * Posts the flow events of an organisation to an address of this machine until a signal. The service never sees the address. While the
 * command runs, each flow event is posted at least once: it keeps the cursor until the address has answered, whatever the answer.
 */
export async function forward(options: ForwardOptions, context: CommandContext): Promise<void> {
  const { forwardTo, type = '*' } = options;
  const { output, remote, call, stopOnSignal } = context;
  const address = addressOf(forwardTo);
  const org = options.org ?? (await onlyOrganisation(context));
  const signingSecret = options.secret ?? (await secretFor(org, context));
  const ending = new AbortController();
  const { signal } = ending;
  const stop = () => ending.abort();
  stopOnSignal().addEventListener('abort', stop);
  void endOfNpm().then(stop);

  let { next: after } = await call(readFeedRoute, { org, type, after: 'end' });
  printResult(
    output,
    { forwardTo, orgId: org, subscriptionType: type, signingSecret },
    `forwarding ${type} of ${org} from ${remote?.url ?? 'the stores of this machine'} to ${address}; not for production: what is published while this command does not run is not forwarded`,
  );
  if (!output.json) output.write(`signing secret: ${signingSecret}`);

  const key = signingKey(signingSecret);
  let waitMs = retryMs.first;
  while (!signal.aborted) {
    try {
      const page = await call(readFeedRoute, { org, type, after, ...asked }, signal);
      for (const item of page.items) {
        if (item.kind === 'gap') printWarning(gapInWords(item));
        else await post(item, address, { key, output, signal });
        after = item.cursor;
        waitMs = retryMs.first;
      }
      after = page.next;
    } catch (error) {
      if (signal.aborted) break;
      if (!isTemporary(error)) throw error;
      printWarning(`${(error as Error).message}; trying again in ${waitMs / 1_000} s`);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, retryMs.max);
    }
  }
}

/** The same at each run for an organisation and a key, and no secret of a listener. */
async function secretFor(org: string, { remote, local }: CommandContext): Promise<string> {
  if (remote) return secretOf(createHmac('sha256', remote.key).update(`forwarding-secret ${org}`).digest());
  const keys = await masterKeysOf(local().dataDirectory);
  return secretOf(keys ? keys.derive(keys.current, 'forwarding-secret', org) : randomBytes(32));
}

const secretOf = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;

const gapInWords = ({ reason, events }: Gap): string =>
  reason === 'erasure'
    ? 'the organisation was erased'
    : `${events === null ? 'flow events' : events === 1 ? 'a flow event' : `${events} flow events`} may be missing: deleted from the event store`;

/** Throws `UsageError` unless there is exactly one. */
async function onlyOrganisation({ call }: CommandContext): Promise<string> {
  const { items } = await call(listOrganisationsRoute, { limit: maxNamed });
  const [only, ...others] = items;
  if (only && others.length === 0) return only.orgId;
  const known = only ? `such as ${items.map(({ orgId }) => orgId).join(', ')}` : 'of which none is known yet';
  throw new UsageError(`--forward-to needs --org: an organisation, ${known}`);
}

/** Maximum number of names in an error message. */
const maxNamed = 5;

class AddressUnreachable extends DomainError {
  readonly code = 'address_unreachable';
}

const temporary = ['service_unreachable', 'store_unavailable', 'too_many_requests', 'address_unreachable'];

const isTemporary = (error: unknown): boolean => error instanceof DomainError && temporary.includes(error.code);

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--forward-to must be a URL such as http://localhost:3001/hook');
  return url.href;
}

/** Throws `AddressUnreachable` without an answer. */
async function post(
  { storeEventId: webhookId, event }: Event,
  address: string,
  { key, output, signal: stopping }: { key: ReturnType<typeof signingKey>; output: Output; signal: AbortSignal },
): Promise<void> {
  const { id: eventId, type: eventType } = event;
  const body = JSON.stringify(event); // numbers are exact: the answer was parsed so
  const now = Date.now();
  const headers = {
    ...webhookHeaders(webhookId, now),
    'user-agent': `Flow-Hooks/${version}`,
    'webhook-signature': signature(key, { id: webhookId, timestamp: webhookTimestamp(now), body }),
  };
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerTimeoutMs)]);
  const { status } = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(
    (error: unknown) => {
      const { cause, message } = error as Error;
      throw new AddressUnreachable(`${address} does not answer: ${cause instanceof Error ? cause.message : message}`);
    },
  );
  const durationMs = Math.round(performance.now() - startedAt);
  printResult(
    output,
    { eventId, eventType, webhookId, status, durationMs, body },
    `${eventType} ${eventId}: ${status} in ${durationMs} ms`,
  );
}
