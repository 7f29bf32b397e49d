import { type IntegrationTaskEntry, integrationTasks } from '../../../projections/integration-tasks.js';
import { type PortalAccess, portalPath } from '../../access/portal/portal-access.js';
import { portalActor } from '../../events/portal-events.js';
import { NotFound } from '../../http/errors.js';
import { boundedPage, unfiltered } from '../../kernel/bounded-page.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { InfoLog } from '../../kernel/log.js';
import type { PageRequest } from '../../kernel/pages.js';
import {
  type ChangeIntegrationTask,
  changeIntegrationTask,
  effectiveTask,
  IntegrationTaskMissing,
} from '../../listeners/integration-task.js';
import { changeOrganisationSettings, organisationSettings } from '../../listeners/organisation-settings.js';
import { findPage } from '../../views/find-page.js';
import { type EraseOrganisation, eraseOrganisation } from '../erasure/erase-organisation.js';
import { listOrganisations } from '../list-organisations.js';
import { listOfPage } from './contracts/fields.js';
import {
  changeOrganisationSettingsRoute,
  createPortalLinkRoute,
  eraseOrganisationRoute,
  listOrganisationsRoute,
  showOrganisationSettingsRoute,
} from './contracts/organisations.js';
import {
  activateTaskRoute,
  deactivateTaskRoute,
  listTasksRoute,
  registerTaskRoute,
  showTaskRoute,
} from './contracts/tasks.js';
import { type BoundRoute, type CallContext, handle, type RouteStores } from './routing/admin-route.js';

type OrganisationRoutes = RouteStores & { erasure: EraseOrganisation };

export const organisationRoutes = ({ store, readModel, erasure }: OrganisationRoutes): readonly BoundRoute[] => [
  handle(listOrganisationsRoute, async ({ query: { prefix, ...page } }) => {
    const list = (at: PageRequest<string>) => listOrganisations(readModel, { prefix, ...at });
    return listOfPage(
      await boundedPage(
        page,
        unfiltered(list, ({ orgId }) => orgId),
      ),
    );
  }),

  handle(showOrganisationSettingsRoute, async ({ query: { orgId } }) => ({
    orgId,
    ...(await organisationSettings(store, orgId)),
  })),

  handle(changeOrganisationSettingsRoute, async ({ body }, context) => {
    const { state, events } = await changeOrganisationSettings(store, body, context);
    return { orgId: body.orgId, ...state, changed: events.map(({ type }) => type) };
  }),

  handle(eraseOrganisationRoute, async ({ body: { orgId, confirm } }, context) => {
    if (confirm !== orgId) throw new InvalidRequest('confirm must repeat the organisation');
    return eraseOrganisation(erasure, orgId, context);
  }),
];

type PortalRoutes = {
  portalAccess: Pick<PortalAccess, 'makeLink'>;
  /** Base URL for browsers, without a slash at the end. */
  serviceUrl: () => string;
  log: InfoLog;
};

export const portalRoutes = (portal: PortalRoutes): readonly BoundRoute[] => [
  handle(createPortalLinkRoute, async ({ body }, { now, cause, caller }) => {
    const { orgId, role, user, expiresInSeconds, sessionMinutes } = body;
    const lifetimeMs = expiresInSeconds * 1_000;
    const link = { orgId, role, actor: portalActor(user ?? orgId), sessionMs: sessionMinutes * 60_000 };
    const token = await portal.portalAccess.makeLink(link, lifetimeMs, cause);
    const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString();
    portal.log.info({ ...link, expiresAt, by: caller.actor }, 'a link to the portal has been made');
    // In the query, because paths are in access logs and traces.
    return { url: `${portal.serviceUrl()}${portalPath}/open?${new URLSearchParams({ token })}`, expiresAt };
  }),
];

export function taskRoutes({ store, readModel }: RouteStores): readonly BoundRoute[] {
  async function change(command: ChangeIntegrationTask, context: CallContext) {
    try {
      const { state, events } = await changeIntegrationTask(store, command, context);
      if (state.state === 'missing') throw new IntegrationTaskMissing(command.orgId);
      return { ...state, changed: events.map(({ type }) => type) };
    } catch (error) {
      // A 500 for subscribing platforms; here a 404.
      throw error instanceof IntegrationTaskMissing ? new NotFound(error.message) : error;
    }
  }

  return [
    handle(listTasksRoute, async ({ query: { limit, after } }) =>
      listOfPage(await findPage<IntegrationTaskEntry>(readModel, integrationTasks, { where: {}, limit, after })),
    ),
    handle(showTaskRoute, ({ query }) => effectiveTask(store, query.orgId)),
    handle(registerTaskRoute, ({ body }, context) => change({ change: 'register', ...body }, context)),
    handle(activateTaskRoute, ({ body }, context) => change({ change: 'activate', ...body }, context)),
    handle(deactivateTaskRoute, ({ body }, context) => change({ change: 'deactivate', ...body }, context)),
  ];
}
