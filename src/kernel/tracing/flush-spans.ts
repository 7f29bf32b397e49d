import { setTimeout as pause } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';

type Flushable = { readonly forceFlush?: () => Promise<void> };
type MaybeProxy = Flushable & { readonly getDelegate?: () => Flushable };

/** A tracing back end in trouble must not delay a stop. */
const timeoutMs = 2_000;

/**
 * Exports the spans of this thread's SDK, which would be lost with the thread. SDKs report failed exports themselves.
 */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as MaybeProxy; // the API declares neither method
  const sdk = provider.getDelegate?.() ?? provider;
  if (!sdk.forceFlush) return;
  await Promise.race([sdk.forceFlush().catch(() => undefined), pause(timeoutMs, undefined, { ref: false })]);
}
