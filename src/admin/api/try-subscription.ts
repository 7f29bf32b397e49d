import type { KeyDerivation } from '../../access/keys/master-keys.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import { filterText } from '../../listeners/filters/filter.js';
import { transformText } from '../../listeners/transforms/transform-text.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { feedCursors } from '../feed/cursor.js';
import { type TrialPage, type TrialSources, trySubscription } from '../feed/try-subscription.js';
import { trySubscriptionRoute } from './contracts/feed.js';
import { type BoundRoute, handle } from './routing/admin-route.js';

const dayMs = 86_400_000;

type TrialDependencies = TrialSources & { masterKeys: KeyDerivation };

export const trialRoutes = ({ masterKeys, ...sources }: TrialDependencies): readonly BoundRoute[] => [
  handle(trySubscriptionRoute, async ({ body: { days, after, filter, transform, ...trial } }, { now }) => {
    const from = new Date(now.getTime() - days * dayMs).toISOString();
    const cursors = feedCursors(masterKeys, trial.orgId);
    const page = await trySubscription(
      sources,
      { ...trial, from, filter: filterText(filter), transform: await transformText(transform) },
      after === undefined ? undefined : cursors.read(after),
    );
    const { counts, upTo, gaps, examples, stoppedBy, place } = page;
    return {
      from,
      upTo,
      ...counts,
      examples: examples.map(shown),
      gaps: gaps.map((gap) => ({ ...gap, upTo: `${gap.upTo}` })),
      stoppedBy,
      next: stoppedBy === 'end' ? null : cursors.write(place),
    };
  }),
];

function shown(example: TrialPage['examples'][number]): RouteAnswer<typeof trySubscriptionRoute>['examples'][number] {
  const { outcome, position, event } = example;
  const { id: eventId, type, recordedAt } = event;
  const found =
    example.outcome === 'sent'
      ? { body: parseJson(example.body) as Json, because: null }
      : { body: null, because: example.because };
  return { outcome, eventId, type, recordedAt, position: `${position}`, ...found };
}
