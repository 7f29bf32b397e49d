import { organisationShare } from '../../http/limits/organisation-share.js';
import { begin, end, type ForwardingDependencies, nextRequests } from '../forwarding/forward-events.js';
import { beginForwardingRoute, endForwardingRoute, fetchForwardedRoute } from './contracts/forwardings.js';
import { type BoundRoute, handle } from './routing/admin-route.js';

/** Each looks for new events twice a second. */
const maxWaiting = 5;
const tooMany = 'too many command lines fetch flow events of this organisation';

export function forwardingRoutes(dependencies: ForwardingDependencies): readonly BoundRoute[] {
  const ofOrganisation = organisationShare(maxWaiting, tooMany);
  return [
    handle(beginForwardingRoute, async ({ body }, context) => {
      const { forwardingId: id, next, ...begun } = await begin(dependencies, body, context);
      return { id, ...begun, next: `${next}` };
    }),

    handle(fetchForwardedRoute, async ({ params: { id }, body }, context) => {
      const page = await ofOrganisation(body.orgId, () =>
        nextRequests(dependencies, { ...body, forwardingId: id }, context),
      );
      return { ...page, next: `${page.next}` };
    }),

    handle(endForwardingRoute, async ({ params: { id }, body }, context) => {
      await end(dependencies, { ...body, forwardingId: id }, context);
      return { id };
    }),
  ];
}
