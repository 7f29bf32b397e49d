import { TooManyRequests } from '../../http/errors.js';
import { organisationShare } from '../../http/limits/organisation-share.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import type { Json } from '../../stores/event-store/event-store.js';
import type { Payload } from '../flow-event.js';

/** `busy`: it may be retried later. */
export type TransformedSample =
  | { kind: 'done'; body: string }
  | { kind: 'failed'; reason: string; isOverTime?: true }
  | { kind: 'busy' };

/** Evaluates an expression as for a delivery; `body`: as JSON. Never rejects. */
export type TransformSample = (request: {
  orgId: string;
  expression: string;
  body: string;
}) => Promise<TransformedSample>;

/**
 * Results in order, without failures. `maxBytes`: of all as JSON, but at least one result. Throws `InvalidRequest`
 * where all fail, and `TooManyRequests`.
 */
type TransformSamples = (request: {
  orgId: string;
  expression: string;
  samples: readonly Payload[];
  maxBytes: number;
}) => Promise<readonly Json[]>;

/** Afterwards no further sample of a request is transformed. */
const maxTotalMs = 3_000;
const maxInProgress = 2;
const tooMany = 'samples of this organisation are being transformed already; try again shortly';

/** Ends with the first sample that exceeds a limit: a request takes at most `maxTotalMs` and one evaluation. */
export function transformSamplesWith(transform: TransformSample, clock = () => performance.now()): TransformSamples {
  const ofOrganisation = organisationShare(maxInProgress, tooMany);
  return ({ orgId, expression, samples, maxBytes }) =>
    ofOrganisation(orgId, async () => {
      const deadline = clock() + maxTotalMs;
      const made: Json[] = [];
      let failure: string | undefined;
      let bytes = 0;
      for (const sample of samples) {
        if (clock() > deadline) break;
        const transformed = await transform({ orgId, expression, body: JSON.stringify(sample) });
        if (transformed.kind === 'busy') break;
        if (transformed.kind === 'failed') {
          failure ??= `transform: it fails for the samples, such as ${sample.id}: ${transformed.reason}`;
          if (transformed.isOverTime) break;
          continue;
        }
        bytes += Buffer.byteLength(transformed.body);
        if (bytes > maxBytes && made.length > 0) break;
        made.push(parseJson(transformed.body) as Json);
      }
      if (made.length > 0) return made;
      throw failure === undefined ? new TooManyRequests(busy) : new InvalidRequest(failure);
    });
}

const busy = 'no transformation can be evaluated now; try again shortly';
