import { setTimeout as pause } from 'node:timers/promises';
import {
  beginForwardingRoute,
  endForwardingRoute,
  fetchForwardedRoute,
} from '../../admin/api/contracts/forwardings.js';
import { listOrganisationsRoute } from '../../admin/api/contracts/organisations.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { DomainError } from '../../kernel/domain-error.js';
import { endOfNpm } from '../../service/serve.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { type Output, printResult, printWarning } from '../output.js';

export type ForwardOptions = { forwardTo: string; org?: string; type?: string };

type Request = RouteAnswer<typeof fetchForwardedRoute>['items'][number];

const retryMs = { first: 1_000, max: 10_000 };
const answerTimeoutMs = 30_000;

/**
 * Posts the flow events of an organisation to an address of this machine until a signal. The service never sees the address. While the
 * command runs, each flow event is posted at least once: it keeps the position until the address has answered, whatever the answer.
 */
export async function forward(options: ForwardOptions, context: CommandContext): Promise<void> {
  const { forwardTo, type = '*' } = options;
  const { output, remote, call, stopOnSignal } = context;
  const address = addressOf(forwardTo);
  const org = options.org ?? (await onlyOrganisation(context));
  const ending = new AbortController();
  const { signal } = ending;
  const stop = () => ending.abort();
  stopOnSignal().addEventListener('abort', stop);
  void endOfNpm().then(stop);

  let forwarding = await call(beginForwardingRoute, { org, subscriptionType: type });
  printResult(
    output,
    { forwardTo, ...forwarding },
    `forwarding ${type} of ${org} from ${remote?.url ?? 'the stores of this machine'} to ${address}; not for production: what is published while this command does not run is not forwarded`,
  );
  if (!output.json) output.write(`signing secret: ${forwarding.signingSecret}`);

  let { next: after, until } = forwarding;
  let waitMs = retryMs.first;
  while (!signal.aborted) {
    try {
      const page = await call(fetchForwardedRoute, { org, id: forwarding.id, after }, signal);
      until = page.until;
      for (const item of page.items) {
        await post(item, address, { output, signal });
        after = item.position;
        waitMs = retryMs.first;
      }
      after = page.next;
    } catch (error) {
      if (signal.aborted) break;
      // By itself, while the machine slept or had no network: the position stays. Otherwise it was ended, with its organisation say.
      if (error instanceof DomainError && error.code === 'forwarding_over' && Date.parse(until) <= Date.now()) {
        forwarding = await call(beginForwardingRoute, { org, subscriptionType: type });
        until = forwarding.until;
        continue;
      }
      if (!isTemporary(error)) throw error;
      printWarning(`${(error as Error).message}; trying again in ${waitMs / 1_000} s`);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, retryMs.max);
    }
  }
  // It ends by itself soon, if the service cannot be reached now.
  await call(endForwardingRoute, { org, id: forwarding.id }).catch((error: Error) => printWarning(error.message));
}

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
  { eventId, eventType, headers, body }: Request,
  address: string,
  { output, signal: stopping }: { output: Output; signal: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerTimeoutMs)]);
  const { status } = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(
    (error: unknown) => {
      const { cause, message } = error as Error;
      throw new AddressUnreachable(`${address} does not answer: ${cause instanceof Error ? cause.message : message}`);
    },
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const webhookId = headers['webhook-id'];
  printResult(
    output,
    { eventId, eventType, webhookId, status, durationMs, body },
    `${eventType} ${eventId}: ${status} in ${durationMs} ms`,
  );
}
