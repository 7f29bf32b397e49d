/**
 * The headers of an attempt that anyone may see: Standard Webhooks 1.0.0 without the signature. The id stays the same for all
 * attempts; `startedAt`, milliseconds since 1970, is that of this one.
 */
export const webhookHeaders = (webhookId: string, startedAt: number) => ({
  'content-type': 'application/json',
  'webhook-id': webhookId,
  'webhook-timestamp': String(webhookTimestamp(startedAt)),
});

/** In seconds since 1970. */
export const webhookTimestamp = (startedAt: number): number => Math.floor(startedAt / 1_000);
