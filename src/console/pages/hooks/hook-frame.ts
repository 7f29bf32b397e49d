import { showListenerRoute } from '../../../operations/api/contracts/hooks.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView } from '../../page-view.js';
import type { HookDetail } from './hook-state.js';

/** The hook that the path of a page names. */
export const hookOf = (at: PageRequest): Promise<HookDetail> =>
  at.call(showListenerRoute, { params: { listenerId: at.params.listenerId ?? '' } });

/** The section and the pages above a page of a hook. */
export const frameOf = (
  at: PageRequest,
  hook: Pick<HookDetail, 'listenerId'>,
  isBelow = false,
): Pick<PageView, 'section' | 'trail'> => ({
  section: '/hooks',
  trail: [
    { href: at.url('/hooks'), text: 'Hooks' },
    ...(isBelow ? [{ href: at.url(`/hooks/${hook.listenerId}`), text: 'Hook' }] : []),
  ],
});
