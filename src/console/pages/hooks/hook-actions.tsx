import { ActionForm } from '../../components/form.js';
import type { PageRequest } from '../../page-request.js';
import type { HookDetail } from './hook-state.js';

/** The buttons of a hook that the caller's role permits, as its state allows. */
export function HookActions({ at, hook }: { readonly at: PageRequest; readonly hook: HookDetail }) {
  if (!at.may('operator') || hook.state === 'ended') return null;
  const to = (action: string) => at.url(`/hooks/${hook.listenerId}/${action}`);
  return (
    <>
      {hook.state === 'active' && <ActionForm action={to('pause')} label="Pause" />}
      {hook.state === 'active' && <ActionForm action={to('test')} label="Send a test" />}
      {(hook.state === 'paused' || hook.held > 0) && (
        <a class="button primary" href={to('resume')}>
          {hook.state === 'paused' ? 'Resume' : 'Deliver held'}
        </a>
      )}
      {hook.state === 'active' && (
        <a class="button" href={to('replay')}>
          Replay
        </a>
      )}
      <a class="button" href={to('options')}>
        Order and rate
      </a>
      <a class="button" href={to('rotate-secret')}>
        Rotate secret
      </a>
      <a class="button danger" href={to('unsubscribe')}>
        Unsubscribe
      </a>
    </>
  );
}
