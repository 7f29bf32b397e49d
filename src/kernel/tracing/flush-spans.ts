import { setTimeout as pause } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';

type Flushable = { readonly forceFlush?: () => Promise<void> };
type MaybeProxy = Flushable & { readonly getDelegate?: () => Flushable };

/** Maximum time that the end waits for spans to be exported: a tracing back end in trouble must not hold a stop up. */
const timeoutMs = 2_000;

/**
 * Has the SDK of this thread export the spans that it holds, which would be lost with the thread. Resolves after at most two
 * seconds. SDKs report failed exports themselves.
 */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as MaybeProxy; // the API declares neither method
  const sdk = provider.getDelegate?.() ?? provider;
  if (!sdk.forceFlush) return;
  await Promise.race([sdk.forceFlush().catch(() => undefined), pause(timeoutMs, undefined, { ref: false })]);
}
