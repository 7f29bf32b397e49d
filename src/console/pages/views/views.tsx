import {
  cancelRebuildRoute,
  listViewsRoute,
  rebuildViewRoute,
  showVerificationRoute,
  showViewRoute,
  skipEventRoute,
  startVerificationRoute,
} from '../../../admin/api/contracts/views.js';
import { Facts } from '../../components/card.js';
import { ActionForm, CheckBox, Confirm, Field } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { numberText } from '../../components/time.js';
import { Notice } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site, type Subject } from '../../page-view.js';
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

const section = '/views';
const pathOf = (name: string, action = ''): string => `${section}/${encodeURIComponent(name)}${action}`;
const nameOf = ({ params }: PageRequest): string => params.name ?? '';
const trailOf = (at: PageRequest, name?: string) => [
  { href: at.url(section), text: 'Views' },
  ...(name === undefined ? [] : [{ href: at.url(pathOf(name)), text: name }]),
];

/** `/views`: the read models with their lag; rebuilding, verifying and skipping an event. */
export const viewPages: Subject = (site) => {
  listPage(site);
  viewPage(site);
  rebuildPages(site);
  skipPages(site);
  site.notices({
    'rebuild-started': 'The rebuild has started.',
    'verification-started': 'The verification has started.',
    'rebuild-cancelled': 'It is being cancelled.',
    'event-skipped': 'The view leaves the event out from now on, also in every rebuild.',
  });
};

function listPage(site: Site): void {
  const live = site.live(section, {
    everyMs: 2_000,
    onAppended: true,
    async parts(at) {
      const { items } = await at.call(listViewsRoute, {});
      return { views: <Views at={at} views={items} /> };
    },
  });
  site.get(section, async (at) => {
    const parts = await live(at);
    return {
      title: 'Views',
      section,
      lead: 'Read models that are built from the events. They can be rebuilt at any time, while they are read.',
      live: parts,
      content: parts.part('views'),
    };
  });
}

const Views = ({ at, views }: { at: PageRequest; views: readonly View[] }) => (
  <Table
    caption="Views"
    rows={views}
    keyOf={({ name }) => name}
    empty={null}
    columns={[
      {
        head: 'View',
        cell: ({ name }) => (
          <a class="nowrap" href={at.url(pathOf(name))}>
            {name}
          </a>
        ),
      },
      { head: 'State', cell: (view) => <ViewState view={view} /> },
      { head: 'Lag', cell: lagText },
      {
        head: 'Position',
        numeric: true,
        cell: ({ position }) => (position === null ? '–' : numberText(BigInt(position))),
      },
      {
        head: 'Events/s',
        numeric: true,
        cell: rateText,
      },
      { head: 'Projected by', cell: ({ holder }) => holder ?? '–' },
      {
        head: 'Work',
        wide: true,
        cell: ({ rebuild }) =>
          rebuild?.holder ? <Progress rebuild={rebuild} /> : rebuild ? 'Unfinished rebuild' : '–',
      },
    ]}
  />
);

function viewPage(site: Site): void {
  const live = site.live(`${section}/:name`, {
    everyMs: 1_000,
    onAppended: true,
    async parts(at) {
      const params = { name: nameOf(at) };
      const view = await at.call(showViewRoute, { params });
      const { last } = await at.call(showVerificationRoute, { params });
      return {
        actions: <Actions at={at} view={view} />,
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
  });
  site.get(`${section}/:name`, async (at) => {
    const { name } = await at.call(showViewRoute, { params: { name: nameOf(at) } });
    const parts = await live(at);
    return {
      title: name,
      section,
      trail: trailOf(at),
      live: parts,
      actions: parts.part('actions'),
      content: (
        <>
          {parts.part('state')}
          {parts.part('work')}
        </>
      ),
    };
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
      <Facts
        facts={[
          ['Lag', lagText(view)],
          ['Position', view.position],
          ['End of the store', view.head],
          ['Events per second', rateText(view)],
          ['Projected by', view.holder],
          ['Version', view.version],
          ['Build', view.build && <code key="build">{view.build}</code>],
        ]}
      />
    </section>
  </>
);

/** The page to which the form of a rebuild led names the build that was live then. */
function isRebuilt(at: PageRequest, { rebuild, build }: View): boolean {
  const before = at.query.text('before');
  return before !== undefined && rebuild === null && build !== null && build !== before;
}

const Actions = ({ at, view }: { at: PageRequest; view: View }) =>
  at.may('operator') ? (
    <>
      {isWorkedOn(view) ? null : (
        <>
          <a class="button" href={at.url(pathOf(view.name, '/rebuild'))}>
            Rebuild
          </a>
          <ActionForm action={at.url(pathOf(view.name, '/verify'))} label="Verify" />
        </>
      )}
      {view.rebuild && (
        <a class="button danger" href={at.url(pathOf(view.name, '/cancel'))}>
          Cancel the work
        </a>
      )}
      {view.error?.position != null && (
        <a class="button danger" href={at.url(pathOf(view.name, '/skip'), { position: view.error.position })}>
          Skip the event
        </a>
      )}
    </>
  ) : null;

function rebuildPages(site: Site): void {
  site.form(`${section}/:name/rebuild`, rebuildViewRoute, async (at) => {
    const { name, rebuild } = await at.call(showViewRoute, { params: { name: nameOf(at) } });
    return {
      title: `Rebuild ${name}?`,
      section,
      trail: trailOf(at, name),
      content: (
        <Confirm
          once
          label="Rebuild"
          cancel={at.url(pathOf(name))}
          consequences={[
            'All events are read again, into a new build beside the live one, which answers queries meanwhile.',
            'Queries go to the new build once it has caught up; the old one is then removed.',
            'Nothing is sent to listeners.',
            ...(rebuild && rebuild.holder === null ? ['A rebuild that was left unfinished is continued.'] : []),
          ]}
        >
          <CheckBox name="verify" label="Compare with the live build first, and switch only if no document differs" />
        </Confirm>
      ),
    };
  });
  site.post(`${section}/:name/rebuild`, async (at) => {
    const name = nameOf(at);
    const { build } = await at.call(showViewRoute, { params: { name } });
    await at.call(rebuildViewRoute, { params: { name }, body: { verify: at.form.text('verify') === 'true' } });
    return redirectTo(at, pathOf(name), { before: build ?? undefined, notice: 'rebuild-started' });
  });
  site.post(`${section}/:name/verify`, async (at) => {
    const name = nameOf(at);
    await at.call(startVerificationRoute, { params: { name } });
    return redirectTo(at, pathOf(name), { notice: 'verification-started' });
  });
  site.form(`${section}/:name/cancel`, cancelRebuildRoute, async (at) => {
    const { name } = await at.call(showViewRoute, { params: { name: nameOf(at) } });
    return {
      title: `Cancel the work on ${name}?`,
      section,
      trail: trailOf(at, name),
      content: (
        <Confirm
          label="Cancel the work"
          cancel={at.url(pathOf(name))}
          danger
          consequences={[
            'A rebuild stops, and its unfinished build is removed; a verification stops. The live build stays as it is.',
            'It may run on another instance: it stops within moments.',
          ]}
        />
      ),
    };
  });
  site.post(`${section}/:name/cancel`, async (at) => {
    const name = nameOf(at);
    await at.call(cancelRebuildRoute, { params: { name } });
    return redirectTo(at, pathOf(name), { notice: 'rebuild-cancelled' });
  });
}

function skipPages(site: Site): void {
  site.form(`${section}/:name/skip`, skipEventRoute, async (at) => {
    const { name } = await at.call(showViewRoute, { params: { name: nameOf(at) } });
    return {
      title: `Skip an event in ${name}?`,
      section,
      trail: trailOf(at, name),
      content: (
        <Confirm
          once
          label="Skip the event"
          cancel={at.url(pathOf(name))}
          danger
          consequences={[
            'The view leaves the event out, now and in every rebuild. The event itself stays in the store.',
            'What the event says is missing in answers from this view.',
            'The decision, its reason and your name are recorded.',
          ]}
        >
          <Field name="position" label="Position of the event" value={at.query.text('position')} required />
          <Field name="why" label="Reason" required maxLength={1_000} />
        </Confirm>
      ),
    };
  });
  site.post(`${section}/:name/skip`, async (at) => {
    const name = nameOf(at);
    const body = { position: at.form.text('position') ?? '', why: at.form.text('why') ?? '' };
    await at.call(skipEventRoute, { params: { name }, body });
    return redirectTo(at, pathOf(name), { notice: 'event-skipped' });
  });
}
