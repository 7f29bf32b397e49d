import { expect } from 'chai';
import { pino } from 'pino';
import { customerSubjects } from '../../../src/console/console.js';
import { adminSubjects } from '../../../src/console/pages/admin-subjects.js';
import type { Site, Subject } from '../../../src/site/page-view.js';
import type { JsonObject } from '../../../src/stores/event-store/event-store.js';
import { type GivenOrganisation, givenOrganisation, orgId } from '../../admin/api/given-organisation.js';
import { type Answer, visitor, withPortal } from './given-portal.js';

/** The paths that subjects declare, without the base. */
function pathsOf(subjects: readonly Subject[]) {
  const paths = { get: [] as string[], post: [] as string[], live: [] as string[] };
  const site: Site = {
    get: (path) => void paths.get.push(path),
    form: (path) => void paths.get.push(path),
    post: (path) => void paths.post.push(path),
    download: (path) => void paths.get.push(path),
    live(path) {
      paths.live.push(path);
      return () => Promise.reject(new Error('no page is shown'));
    },
    notices: () => undefined,
  };
  for (const subject of subjects) subject(site);
  return paths;
}

const portal = pathsOf(customerSubjects);

describe('the portal of another organisation', function () {
  this.timeout(120_000);
  let given: GivenOrganisation;

  before(async () => {
    given = await givenOrganisation();
  });
  after(() => given.stop());

  /** The path with the IDs of this organisation's objects. */
  const withObjects = (path: string): string =>
    path.replaceAll(/([\w-]+)\/:(\w+)/g, (_, segment: string) => {
      const id = { ...given.objects, listeners: given.objects.listeners }[segment];
      if (id === undefined) throw new Error(`givenOrganisation has no object for ${segment}`);
      return `${segment}/${encodeURIComponent(id)}`;
    });

  /** Names this organisation and its objects in every field that a page may read. */
  const fields = () => ({
    orgId,
    ...{ id: given.objects.flows ?? '', eventId: given.objects.flows ?? '', listenerId: given.objects.listeners ?? '' },
    ...{ from: '2026-01-01T00:00', to: '2027-01-01T00:00', at: '2027-01-01T00:00', user: '42', type: 'flow.completed' },
    ...{ reason: 'a test', confirm: 'true', data: '{}', eventType: 'flow.done' },
  });

  /** Something that only this organisation's data says: the URL of its listener. */
  const shows = ({ html }: Answer): boolean => html.includes('a-secret-path');

  async function contents() {
    const { store, queue } = given;
    const deliveries = (await queue.deliveries({ orgId })).deliveries;
    return { head: await store.head(), deliveries };
  }

  it('shows nothing of this one on any page, with or without its name and its IDs', () =>
    withPortal(given, {}, async (client) => {
      const [own, other] = [await visitor(client, orgId), await visitor(client, 'other')];
      let shown = 0;
      for (const path of [...portal.get, ...portal.live.map((live) => `/live${live}`)]) {
        for (const query of ['', `?${new URLSearchParams(fields())}`]) {
          const answer = await other.get(`${withObjects(path)}${query}`);
          expect(shows(answer), `${path}${query}`).to.equal(false);
          expect(answer.status, `${path}${query}`).to.be.oneOf([200, 400, 403, 404]);
          if (shows(await own.get(`${withObjects(path)}${query}`))) shown += 1;
        }
      }
      expect(shown, 'pages that show it to its own organisation').to.be.above(8);
    }));

  it('changes nothing of this one by any form', () =>
    withPortal(given, {}, async (client) => {
      const other = await visitor(client, 'other');
      const before = await contents();
      for (const path of portal.post) {
        for (const form of [fields(), { ...fields(), orgId: '' }]) {
          const answer = await other.post(withObjects(path), form);
          expect(shows(answer), path).to.equal(false);
          expect(answer.status, path).to.be.oneOf(path.includes(':') ? [404] : [200, 303, 400, 403]);
        }
      }
      expect((await contents()).deliveries).to.deep.equal(before.deliveries);
      let changes = 0;
      for await (const { data } of given.store.readAll({ from: before.head })) {
        expect(data as JsonObject).to.include({ orgId: 'other' });
        changes += 1;
      }
      expect(changes, 'changes of its own data by such forms').to.be.above(0);
    }));

  it('has no page about the whole service', () =>
    withPortal(given, {}, async (client) => {
      const other = await visitor(client, orgId);
      const { api: _, ...rest } = given;
      const service = pathsOf(adminSubjects({ log: pino({ level: 'silent' }), seals: rest.seals }));
      const beyond = service.get.filter((path) => !portal.get.includes(path));
      expect(beyond).to.have.length.above(15);
      for (const path of beyond) {
        const { status } = await other.get(path.replaceAll(/:\w+/g, 'x'));
        expect(status, path).to.equal(404);
      }
      expect((await other.get('/audit/service')).status).to.equal(403);
    }));

  it('lets a viewer of this organisation change nothing, by forms with which an operator does', () =>
    withPortal(given, {}, async (client) => {
      const viewer = await visitor(client, orgId, 'viewer');
      const before = await contents();
      const refused: string[] = [];
      for (const path of portal.post) {
        const { status } = await viewer.post(withObjects(path), fields());
        expect(status, path).to.be.oneOf([200, 303, 400, 403, 404]);
        if (status === 403) refused.push(path);
      }
      // A page at the path of an action is its form, to which no page of a viewer leads.
      for (const path of portal.get.filter((each) => each === '/listeners' || !portal.post.includes(each))) {
        const { html } = await viewer.get(`${withObjects(path)}?${new URLSearchParams({ orgId })}`);
        const forms = html.match(/<form[^>]*method="post"[^>]*>/g) ?? [];
        expect(
          forms.filter((form) => !/sign-out|action="\/portal\/(listeners|search)"/.test(form)),
          path,
        ).to.deep.equal([]);
      }
      expect(await contents()).to.deep.equal(before);

      const operator = await visitor(client, orgId, 'operator');
      const done: string[] = [];
      for (const path of refused) {
        const { status } = await operator.post(withObjects(path), fields());
        if (status === 303) done.push(path);
      }
      expect(done).to.include.members([
        ...['pause', 'resume', 'options', 'unsubscribe'].map((action) => `/listeners/:listenerId/${action}`),
        ...['/replays/:id/cancel', '/deliveries/redeliver', '/flow-events/redeliver', '/flow-events/publish'],
      ]);
      expect((await contents()).head > before.head).to.equal(true);
    }));
});
