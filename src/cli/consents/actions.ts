import { listConsentsRoute, withdrawConsentRoute } from '../../admin/api/contracts/sessions.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';

export async function list(options: { org: string }, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listConsentsRoute, options),
    {
      consent: 'consentId',
      state: 'state',
      user: 'userId',
      client: 'clientId',
      scopes: ({ scopes }) => scopes.join(' '),
      'granted at': 'grantedAt',
      'withdrawn at': (consent) => (consent.state === 'withdrawn' ? consent.withdrawnAt : ''),
    },
    `no user has agreed to anything in ${options.org}`,
  );
}

export async function withdraw(id: string, _: object, { output, call }: CommandContext): Promise<void> {
  const consent = await call(withdrawConsentRoute, { id });
  printResult(output, consent, `consent ${id} is ${consent.state}`);
}
