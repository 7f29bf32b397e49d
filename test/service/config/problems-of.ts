import { readConfig } from '../../../src/service/config/config.js';
import { type Environment, InvalidConfiguration } from '../../../src/service/config/settings.js';

/** Settings with which production mode starts. */
export const production: Environment = {
  MODE: 'production',
  PUBLIC_URL: 'https://hooks.example.com',
  LOGIN_URLS: '{"*":"https://login.example.com/"}',
  LOGIN_ISSUER: 'https://login.example.com',
  LOGIN_JWKS: 'https://login.example.com/jwks.json',
  LOGIN_AUDIENCE: 'https://hooks.example.com',
  SIGNING_KEYS: 'keys.json',
  MASTER_KEYS: 'master.txt',
};

/** Messages with which a start is refused. */
export function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfiguration) return error.problems.map(({ message }) => message);
    throw error;
  }
}
