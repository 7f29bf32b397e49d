import { createPortalLinkRoute } from '../../admin/api/contracts/organisations.js';
import type { CommandContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { printResult } from '../output.js';

type LinkOptions = { user?: string; expiresIn: string; session: string };

export async function link(
  { user, expiresIn, session, ...options }: LinkOptions,
  { output, call }: CommandContext,
): Promise<void> {
  const made = await call(createPortalLinkRoute, {
    ...options,
    user,
    expiresInSeconds: wholeNumber('--expires-in', expiresIn, 10, 86_400),
    sessionMinutes: wholeNumber('--session', session, 1, 720),
  });
  printResult(output, made, made.url);
}
