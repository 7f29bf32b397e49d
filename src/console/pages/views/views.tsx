import {
  cancelRebuildRoute,
  listViewsRoute,
  rebuildViewRoute,
  showVerificationRoute,
  showViewRoute,
  skipEventRoute,
  startVerificationRoute,
} from '../../../admin/api/contracts/views.js';
import { FactsOf } from '../../../site/components/shown.js';
import { numberText } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site, Subject } from '../../../site/page-view.js';
import {
  isWorkedOn,
  lagText,
  Progress,
  rateText,
  Troubles,
  VerificationResult,
  type View,
  ViewState,
  WorkCard,
} from './view-parts.js';

const pathOf = (name: string): string => `/views/${encodeURIComponent(name)}`;
const viewOf = (at: PageRequest): Promise<View> => at.call(showViewRoute, { params: { name: at.params.name ?? '' } });

/** Settings that all actions on a view have. */
const ofView = {
  read: viewOf,
  above: ({ params, url }: PageRequest) => ({ href: url(pathOf(params.name ?? '')), text: params.name ?? '' }),
};

/** `/views`: the read models with their lag; rebuilding, verifying and skipping an event. */
export const viewPages: Subject = (site) => {
  routeList(site, '/views', listViewsRoute, {
    title: 'Views',
    lead: 'Read models that are built from the events. They can be rebuilt at any time, while they are read.',
    live: { everyMs: 2_000, onAppended: true },
    keyOf: ({ name }) => name,
    columns: (at) => ({
      View: ({ name }) => (
        <a class="nowrap" href={at.url(pathOf(name))}>
          {name}
        </a>
      ),
      State: (view) => <ViewState view={view} />,
      Lag: { show: lagText, headed: true },
      Position: { show: ({ position }) => position && numberText(BigInt(position)), numeric: true },
      'Events/s': { show: rateText, numeric: true },
      'Projected by': 'holder',
      Work: {
        show: ({ rebuild }) => (rebuild?.holder ? <Progress rebuild={rebuild} /> : rebuild && 'Unfinished rebuild'),
        wide: true,
      },
    }),
  });
  viewPage(site);
};

function viewPage(site: Site): void {
  const actions = viewActions(site);
  livePage(site, '/views/:name', {
    everyMs: 1_000,
    onAppended: true,
    async parts(at) {
      const view = await viewOf(at);
      const { last } = await at.call(showVerificationRoute, { params: { name: view.name } });
      return {
        actions: <Actions at={at} view={view} actions={actions} />,
        state: <State view={view} />,
        work: (
          <>
            {isRebuilt(at, view) && <Notice tone="good">The rebuild is done: queries go to the new build.</Notice>}
            {view.rebuild && <WorkCard rebuild={view.rebuild} />}
            {last && <VerificationResult last={last} />}
          </>
        ),
      };
    },
    shows: ({ params }) => ({ title: params.name ?? '' }),
  });
}

const State = ({ view }: { view: View }) => (
  <>
    <Troubles view={view} />
    <section class="card">
      <header class="card-head">
        <h2>Live build</h2>
        <ViewState view={view} />
      </header>
      <FactsOf
        of={view}
        facts={{
          Lag: lagText,
          Position: 'position',
          'End of the store': 'head',
          'Events per second': rateText,
          'Projected by': 'holder',
          Version: 'version',
          Build: ({ build }) => build && <code>{build}</code>,
        }}
      />
    </section>
  </>
);

/** The page to which the form of a rebuild led names the build that was live then. */
function isRebuilt(at: PageRequest, { rebuild, build }: View): boolean {
  const before = at.query.text('before');
  return before !== undefined && rebuild === null && build !== null && build !== before;
}

type Actions = ReturnType<typeof viewActions>;

const Actions = ({ at, view, actions }: { at: PageRequest; view: View; actions: Actions }) => (
  <>
    {!isWorkedOn(view) && actions.rebuild.button(at)}
    {!isWorkedOn(view) && actions.verify.button(at)}
    {view.rebuild && actions.cancel.button(at)}
    {view.error?.position != null && actions.skip.button(at, { position: view.error.position })}
  </>
);

function viewActions(site: Site) {
  const rebuild = routeAction(site, '/views/:name/rebuild', rebuildViewRoute, {
    ...ofView,
    label: 'Rebuild',
    title: ({ name }) => `Rebuild ${name}?`,
    once: true,
    consequences: (view) => [
      'All events are read again, into a new build beside the live one, which answers queries meanwhile.',
      'Queries go to the new build once it has caught up; the old one is then removed.',
      'Nothing is sent to listeners.',
      ...(view.rebuild && view.rebuild.holder === null ? ['A rebuild that was left unfinished is continued.'] : []),
    ],
    fields: { verify: 'Compare with the live build first, and switch only if no document differs' },
    async runs(at, { verify }) {
      const { name, build } = await viewOf(at);
      await at.call(rebuildViewRoute, { params: { name }, body: { verify: verify === true } });
      return { name, build };
    },
    done: 'The rebuild has started.',
    answers: ({ name, build }, at) => ({ href: at.url(pathOf(name), { before: build ?? undefined }) }),
  });
  const verify = routeAction(site, '/views/:name/verify', startVerificationRoute, {
    ...ofView,
    label: 'Verify',
    done: 'The verification has started.',
  });
  const cancel = routeAction(site, '/views/:name/cancel', cancelRebuildRoute, {
    ...ofView,
    label: 'Cancel the work',
    title: ({ name }) => `Cancel the work on ${name}?`,
    danger: true,
    consequences: [
      'A rebuild stops, and its unfinished build is removed; a verification stops. The live build stays as it is.',
      'It may run on another instance: it stops within moments.',
    ],
    done: 'It is being cancelled.',
  });
  const skip = routeAction(site, '/views/:name/skip', skipEventRoute, {
    ...ofView,
    label: 'Skip the event',
    title: ({ name }) => `Skip an event in ${name}?`,
    danger: true,
    once: true,
    consequences: [
      'The view leaves the event out, now and in every rebuild. The event itself stays in the store.',
      'What the event says is missing in answers from this view.',
      'The decision, its reason and your name are recorded.',
    ],
    fields: {
      position: { label: 'Position of the event', value: (_, { query }) => query.text('position') },
      why: 'Reason',
    },
    done: 'The view leaves the event out from now on, also in every rebuild.',
  });
  return { rebuild, verify, cancel, skip };
}
