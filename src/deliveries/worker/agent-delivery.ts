import { parseJson } from '../../kernel/input/exact-json.js';
import { subscriptionIdIn } from '../../listeners/agents/agent-subscription.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import type { RetryPolicy } from '../../queue/policy/retry-policy.js';

// MCP Events (SEP-3415), webhook mode.

export const isOfAgent = ({ hookUrl }: Pick<LeasedDelivery, 'hookUrl'>): boolean =>
  subscriptionIdIn(hookUrl) !== undefined;

export const maxOccurrenceBytes = 262_144;

/** The delivery with the body that agents get, and the ID that they compare with the one in it; others stay as they are. */
export function asOccurrence<Delivery extends Pick<LeasedDelivery, 'hookUrl' | 'body' | 'eventId' | 'webhookId'>>(
  delivery: Delivery,
): Delivery {
  const subscriptionId = subscriptionIdIn(delivery.hookUrl);
  if (subscriptionId === undefined) return delivery;
  const { eventId } = delivery;
  const { type: name, timestamp, data } = parseJson(delivery.body) as Record<string, unknown>; // the service made it
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data) && !JSON.isRawJSON(data);
  const occurrence = { eventId, name, timestamp, data: isObject ? data : { value: data ?? null } };
  return { ...delivery, webhookId: eventId, body: JSON.stringify(occurrence) };
}

export const isTooLarge = ({ body }: Pick<LeasedDelivery, 'body'>): boolean =>
  Buffer.byteLength(body) > maxOccurrenceBytes;

export const subscriptionHeader = (delivery: Pick<LeasedDelivery, 'hookUrl'>): Readonly<Record<string, string>> => {
  const subscriptionId = subscriptionIdIn(delivery.hookUrl);
  return subscriptionId === undefined ? {} : { 'x-mcp-subscription-id': subscriptionId };
};

/** Statuses after which an agent's host gets a delivery no more; the subscription stays. */
export const isRefusedForGood = (status: number | undefined): boolean => status === 410 || status === 413;

/** Delays in milliseconds, at most: attempts end within 15 minutes. */
const longestDelays = [0, 30_000, 120_000, 600_000];

export const policyForAgents = ({ schedule }: RetryPolicy): RetryPolicy => ({
  schedule: longestDelays.flatMap((delayMs, attempt) => Math.min(delayMs, schedule[attempt] ?? delayMs)),
  maxRetryAfterMs: longestDelays.at(-1) ?? 0,
});
