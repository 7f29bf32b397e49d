import { FieldError } from '../../site/components/form.js';
import { sentence } from '../../site/components/time.js';
import { Notice } from '../../site/components/tone.js';

export type SignInPage = {
  /** The paths of the forms in their public URL. */
  keyAction: string;
  /** Undefined: there is no identity provider. */
  providerHref: string | undefined;
  /** Sign-out at the provider; undefined if it is not offered. */
  providerSignOutHref?: string;
  /** The account was refused: the provider asks for another one. */
  isRefused?: boolean;
  hasKeys: boolean;
  /** The page that the browser asked for. */
  to: string;
  /** Failure of the last attempt. */
  problem?: string;
  /** The same, where a key was refused. */
  keyProblem?: string;
  isSignedOut?: boolean;
};

/** The content of the page on which operators sign in. */
export const SignInForm = ({
  keyAction,
  providerHref,
  hasKeys,
  to,
  problem,
  keyProblem,
  isSignedOut = false,
  ...account
}: SignInPage) => (
  <>
    {problem !== undefined && <Notice tone="bad">{sentence(problem)}</Notice>}
    {isSignedOut && <Notice tone="good">You are signed out.</Notice>}
    {providerHref !== undefined && (
      <a class="button primary" href={providerHref}>
        {account.isRefused ? 'Sign in with another company account' : 'Sign in with your company account'}
      </a>
    )}
    {account.providerSignOutHref !== undefined && (
      <p>
        You may still be signed in to your company account. <a href={account.providerSignOutHref}>Sign out there</a>
      </p>
    )}
    {providerHref !== undefined && hasKeys && <p class="or">or</p>}
    {hasKeys && (
      <form method="post" action={keyAction} class="stack">
        <input type="hidden" name="to" value={to} />
        <div class="field">
          <label for="key">Admin key</label>
          <input
            id="key"
            name="key"
            type="password"
            autocomplete="current-password"
            required
            spellcheck={false}
            autofocus={providerHref === undefined || keyProblem !== undefined}
            aria-invalid={keyProblem !== undefined || undefined}
            aria-describedby={keyProblem === undefined ? 'key-hint' : 'key-error key-hint'}
          />
          <FieldError id="key" error={keyProblem} />
          <p id="key-hint" class="hint">
            A key of ADMIN_KEYS. Your actions are recorded under its name.
          </p>
        </div>
        <button type="submit" class={providerHref === undefined ? 'primary' : 'plain'}>
          Sign in
        </button>
      </form>
    )}
    {!hasKeys && providerHref === undefined && (
      <Notice tone="warn">
        Sign-in is not possible: neither an admin key (ADMIN_KEYS) nor an identity provider (CONSOLE_OPENID) is
        configured.
      </Notice>
    )}
  </>
);
