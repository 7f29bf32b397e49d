import { showListenerRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView } from '../../page-view.js';
import type { ListenerDetail } from './listener-state.js';

/** The listener that the path of a page names. */
export const listenerOf = (at: PageRequest): Promise<ListenerDetail> =>
  at.call(showListenerRoute, { params: { listenerId: at.params.listenerId ?? '' } });

/** The section and the pages above a page of a listener. */
export const frameOf = (
  at: PageRequest,
  listener: Pick<ListenerDetail, 'listenerId'>,
  isBelow = false,
): Pick<PageView, 'section' | 'trail'> => ({
  section: '/listeners',
  trail: [
    { href: at.url('/listeners'), text: 'Listeners' },
    ...(isBelow ? [{ href: at.url(`/listeners/${listener.listenerId}`), text: 'Listener' }] : []),
  ],
});
