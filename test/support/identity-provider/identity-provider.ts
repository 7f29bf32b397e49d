import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type RunningProcess, startModule } from '../process.js';

export type IdentityProvider = {
  issuer: string;
  /** An entry of `LOGIN_PROVIDERS`. */
  settings: object;
  /** Starts it with new keys, on the same port. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts node-oidc-provider as a process, as a client of which the service has these redirect URIs. */
export async function startIdentityProvider(...redirectUris: readonly string[]): Promise<IdentityProvider> {
  const port = await reusablePort();
  const issuer = `http://127.0.0.1:${port}`;
  let program: RunningProcess | undefined;
  async function start(): Promise<void> {
    program = startModule(new URL('./main.js', import.meta.url), String(port), ...redirectUris);
    await program.prints(/^listening$/m);
  }
  const stop = async () => void (await program?.stop('SIGKILL'));
  await start();
  return {
    issuer,
    settings: {
      issuer,
      clientId: 'flow-hooks',
      clientSecret: 'a-secret-of-the-identity-provider',
      scopes: ['openid', 'profile'],
      organisationsClaim: 'organisations',
    },
    stop,
    async restart() {
      await stop();
      await start();
    },
  };
}
