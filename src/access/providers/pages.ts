import { escaped, page } from '../sign-in/page.js';
import type { IdentifiedUser, Organisation } from './claims.js';

export type Asked = {
  clientName: string;
  user: IdentifiedUser;
  sealed: string;
};

/** The form's `action` is relative: the service may be below a path. */
export const organisationPage = ({ clientName, user, sealed }: Asked): string =>
  page(`<h1>Choose an organisation</h1>
<p>${signedInAs(user)} ${escaped(clientName)} will be connected to one of your organisations.</p>
<form method="post" action="organisation">
${hidden('sealed', sealed)}
<fieldset aria-label="Your organisations">
${user.organisations.map(option).join('\n')}
</fieldset>
<button>Continue</button>
</form>`);

const option = ({ id, name }: Organisation, index: number): string =>
  `<label><input type="radio" name="organisation" value="${escaped(id)}" required${index === 0 ? ' checked' : ''}>` +
  `${escaped(name)}</label>`;

const permissions: Readonly<Record<string, string>> = {
  listeners: 'receive flow events of the organisation, by registering listeners',
  'flows:publish': 'publish flow events in the name of the organisation',
};

export const consentPage = ({
  clientName,
  user,
  organisation,
  scopes,
  hosts,
  sealed,
}: Asked & {
  organisation: Organisation;
  scopes: readonly string[];
  /** Hosts of the document and of the redirect URI of a client that no operator has registered. */
  hosts?: { document: string; redirect: string } | undefined;
}): string =>
  page(`<h1>Connect ${escaped(clientName)}?</h1>
<p>${signedInAs(user)} In ${escaped(organisation.name)}, ${escaped(clientName)} will be allowed to:</p>
<ul>
${scopes.map((scope) => `<li>${escaped(permissions[scope] ?? scope)}</li>`).join('\n')}
</ul>${hosts ? unregistered(hosts) : ''}
<form method="post" action="consent">
${hidden('sealed', sealed)}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="second">Cancel</button>
</form>`);

const unregistered = ({ document, redirect }: { document: string; redirect: string }): string =>
  redirect === document
    ? `
<p>It describes itself at <strong>${escaped(document)}</strong>, to which you will be led. Cancel if you do not know this address.</p>`
    : `
<p>It describes itself at <strong>${escaped(document)}</strong>, and you will be led to <strong>${escaped(redirect)}</strong>. Cancel if you
do not know them.</p>`;

/** `reason`: see `AccountRefused`. */
export const refusedAccountPage = ({
  clientName,
  displayName,
  reason,
  sealed,
}: Pick<Asked, 'clientName' | 'sealed'> & { displayName: string; reason: string }): string =>
  page(`<h1>Another account is needed</h1>
<p>You are signed in as ${escaped(displayName)}, but ${escaped(reason)}. Use another account to connect ${escaped(clientName)}.</p>
<form method="post" action="account">
${hidden('sealed', sealed)}
<button name="decision" value="another">Use another account</button>
<button name="decision" value="cancel" class="second">Cancel</button>
</form>`);

const signedInAs = ({ displayName }: IdentifiedUser): string => `You are signed in as ${escaped(displayName)}.`;

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;
