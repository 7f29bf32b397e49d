import type { Failure } from '../http/errors.js';
import { Facts } from './components/card.js';
import { sentence } from './components/time.js';
import { Notice } from './components/tone.js';
import type { PageRequest } from './page-request.js';
import type { PageView } from './page-view.js';

const titles: Readonly<Record<number, string>> = {
  400: 'This cannot be done',
  401: 'Not signed in',
  403: 'Not permitted',
  404: 'Not found',
  409: 'Not possible now',
  410: 'Deleted',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Not available now',
};

export type ShownFailure = Failure & {
  requestId: string;
  /** The page from which the caller came. */
  backHref: string | undefined;
};

/** The page of an error, in place of the page that threw it. */
export const failureView = (
  at: Pick<PageRequest, 'url'>,
  { status, code, message, requestId, backHref }: ShownFailure,
): PageView => ({
  status,
  section: '',
  trail: [],
  title: titles[status] ?? 'The service failed',
  content: (
    <>
      <Notice tone="bad">{sentence(message)}</Notice>
      <Facts facts={{ Error: <code>{code}</code>, Request: <code>{requestId}</code> }} />
      <p class="buttons">
        <a class="button" href={backHref ?? at.url('/')}>
          {backHref === undefined ? 'To the overview' : 'Back'}
        </a>
      </p>
    </>
  ),
});
