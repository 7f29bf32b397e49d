import { ActionForm } from '../../components/form.js';
import type { PageRequest } from '../../page-request.js';
import type { ListenerDetail } from './listener-state.js';

/** The buttons of a listener that the caller's role permits, as its state allows. */
export function ListenerActions({ at, listener }: { readonly at: PageRequest; readonly listener: ListenerDetail }) {
  if (!at.may('operator') || listener.state === 'ended') return null;
  const to = (action: string) => at.url(`/listeners/${listener.listenerId}/${action}`);
  return (
    <>
      {listener.state === 'active' && <ActionForm action={to('pause')} label="Pause" />}
      {listener.state === 'active' && <ActionForm action={to('test')} label="Send a test" />}
      {(listener.state === 'paused' || listener.held > 0) && (
        <a class="button primary" href={to('resume')}>
          {listener.state === 'paused' ? 'Resume' : 'Deliver held'}
        </a>
      )}
      {listener.state === 'active' && (
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
