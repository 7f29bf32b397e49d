import { decodeProtectedHeader } from 'jose';
import type { Tokens } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';

export const kidOf = ({ access_token }: Pick<Tokens, 'access_token'>) => decodeProtectedHeader(access_token).kid;
export const generationOf = ({ refresh_token }: Tokens) => refresh_token.split('.')[0];

/** The keys that a service publishes. */
export async function published(service: ServiceProcess): Promise<readonly string[]> {
  const { body } = await service.fetch('/.well-known/jwks.json');
  return (body as { keys: readonly { kid: string }[] }).keys.map(({ kid }) => kid);
}
