import { z } from 'zod';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { printableText } from '../../kernel/input/texts.js';
import { type FilterText, filterText } from '../../listeners/filters/filter.js';
import { type TransformText, transformText } from '../../listeners/transforms/transform-text.js';

const maxSamples = 100;

const subscriptionType = printableText(256).optional();

/** Empty fields are those that a user of the platform has not filled in. */
export const sampleQuery = z.object({
  subscriptionType: subscriptionType.describe('Only events that this subscription type selects; without it, all.'),
  type: subscriptionType.describe('The same as `subscriptionType`.'),
  filter: z.string().optional().describe('Only events that this filter of a subscription selects: an object as JSON.'),
  transform: z
    .string()
    .optional()
    .describe(
      'The JSONata expression with which the caller is going to subscribe: each sample is what a listener with it receives. Samples for ' +
        'which it fails are left out; if it fails for all, the answer is 400 with the reason.',
    ),
  limit: z.coerce
    .number({ error: `must be a whole number from 1 to ${maxSamples}` })
    .pipe(z.int().min(1).max(maxSamples))
    .optional()
    .describe(`Maximum number of events, 1 to ${maxSamples}, the default.`),
});

export type SampleRequest = {
  subscriptionType: string | undefined;
  filter: FilterText;
  transform: TransformText;
  limit: number;
};

/** Throws `InvalidRequest`. */
export async function sampleRequest(query: Readonly<Record<string, unknown>>): Promise<SampleRequest> {
  const filled = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
  const { subscriptionType, type, filter, transform, limit = maxSamples } = parseInput(sampleQuery, filled);
  if (subscriptionType !== undefined && type !== undefined && subscriptionType !== type)
    throw new InvalidRequest('subscriptionType and type differ: give one of them');
  return {
    subscriptionType: subscriptionType ?? type,
    filter: filterText(filter && parsed(filter)),
    transform: await transformText(transform),
    limit,
  };
}

function parsed(filter: string): unknown {
  try {
    return JSON.parse(filter);
  } catch {
    throw new InvalidRequest('filter: must be an object as JSON');
  }
}
