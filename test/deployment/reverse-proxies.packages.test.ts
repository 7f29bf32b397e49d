import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { generateSigningKeys } from '../../src/access/keys/signing-keys.js';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { documentedBlocks } from '../support/documented-blocks.js';
import { needs } from '../support/run/programs.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

type Files = { directory: string; certificate: string; key: string };

/** Each takes the documented configuration, with the ports and files of the test in place of the documented ones. */
const proxies = {
  nginx: {
    write(block: string, { directory, certificate, key }: Files, port: number, service: number): readonly string[] {
      const server = block
        .replace('127.0.0.1:3000', `127.0.0.1:${service}`)
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('/etc/ssl/hooks.example.com/fullchain.pem', certificate)
        .replace('/etc/ssl/hooks.example.com/privkey.pem', key)
        .replace('/var/log/nginx/hooks.log', join(directory, 'access.log'));
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = temporary.map((name) => `${name}_temp_path ${join(directory, name)};`).join('\n');
      const file = join(directory, 'nginx.conf');
      const user = process.getuid?.() === 0 ? 'user root; ' : ''; // its own user cannot read the test's files
      const main = `${user}daemon off; pid ${join(directory, 'pid')}; error_log stderr;\nevents {}\nhttp {\n${paths}\n${server}\n}\n`;
      writeFileSync(file, main);
      return ['nginx', '-p', directory, '-c', file, '-e', 'stderr'];
    },
  },
  caddy: {
    write(block: string, { directory, certificate, key }: Files, port: number, service: number): readonly string[] {
      const site = block
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${service}`)
        .replace('hooks.example.com {', `https://hooks.example.com:${port} {\n\ttls ${certificate} ${key}`);
      const file = join(directory, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
      return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
    },
  },
} as const;
const languages = { nginx: 'nginx', caddy: 'caddyfile' } as const;

for (const name of ['nginx', 'caddy'] as const)
  describe(`the configuration of ${name} in docs/installing.md`, function () {
    if (!needs(name)) return;
    this.timeout(120_000);
    let service: ServiceProcess;
    let proxy: ChildProcess;
    let port: number;

    before(async () => {
      const directory = temporaryDirectory();
      const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
      const subject = ['-subj', '/CN=hooks.example.com', '-addext', 'subjectAltName=DNS:hooks.example.com'];
      const keys = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2'];
      execFileSync('openssl', ['req', '-x509', ...keys, ...subject], { stdio: 'ignore' });
      service = await startService({ environment: production() });
      port = await reusablePort();
      const [block = ''] = documentedBlocks('docs/installing.md', languages[name]);
      const files = { directory, certificate, key };
      const [program = '', ...args] = proxies[name].write(block, files, port, service.port);
      const env = { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
      proxy = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
      proxy.stderr?.pipe(process.stderr, { end: false }); // a fault of the configuration
      const answers = () =>
        ask('/').then(
          ({ status }) => status === 404,
          () => false,
        );
      await until(answers, `${name} to answer`);
    });
    after(async () => {
      if (proxy?.exitCode === null && proxy.kill('SIGTERM')) await once(proxy, 'exit');
      await service?.stop();
    });

    const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      askAt({ port, path, headers }, { method: 'GET' });

    it('passes the public routes on, and no other', async () => {
      for (const [path, status] of [
        ['/.well-known/jwks.json', 200],
        ['/openapi.json', 200],
        ['/llms.txt', 200],
        ['/docs', 200],
        ['/test', 401],
        ['/api/hooks/perform-list', 500], // there is no integration task
        ['/oauth2', 302],
        ['/whoami', 401],
        ['/mcp', 401],
      ] as const) {
        const { status: found, headers } = await ask(path);
        expect(found, path).to.equal(status);
        expect(headers['x-content-type-options'], path).to.equal('nosniff');
      }
      const { status } = await askAt({ port, path: '/access', headers: {} }, { method: 'POST', body: '{}' });
      expect(status).to.be.oneOf([400, 401]);
      for (const path of ['/', '/metrics', '/healthz', '/readyz', '/METRICS', '/metrics/', '/apis', '/accesses']) {
        expect((await ask(path)).status, path).to.equal(404);
      }
    });

    it('keeps operators’ routes to their network', async () => {
      for (const path of ['/console', '/console/sign-in', '/admin/api/service', '/api/../admin/api/service']) {
        const { status, body } = await ask(path);
        expect(status, path).to.be.oneOf([403, 404]);
        expect(body, path).not.to.include('requestId');
      }
    });

    it('adds Strict-Transport-Security to every answer, once', async () => {
      for (const path of ['/openapi.json', '/test', '/nothing']) {
        const { rawNames, headers } = await ask(path);
        expect(headers['strict-transport-security'], path).to.equal('max-age=31536000');
        expect(rawNames.filter((each) => each.toLowerCase() === 'strict-transport-security')).to.have.length(1);
      }
    });

    it('does not pass on a host or request ID that the client invents', async () => {
      const invented = { 'x-forwarded-host': 'evil.example.com', 'x-request-id': 'invented-by-the-client' };
      const { headers } = await ask('/oauth2?state=1', invented);
      expect(headers.location).to.equal('https://login.example.com/?state=1');
      const { body } = await ask('/test', invented);
      expect(JSON.parse(body))
        .to.have.property('requestId')
        .that.is.a('string')
        .and.not.equal('invented-by-the-client');
    });

    it('serves HTTP/2 to clients, and HTTP/1.1 to the service', async () => {
      const session = connect(`https://127.0.0.1:${port}`, {
        servername: 'hooks.example.com',
        rejectUnauthorized: false,
      });
      const stream = session.request({ ':path': '/openapi.json', ':authority': `hooks.example.com:${port}` });
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      expect(headers[':status']).to.equal(200);
      stream.close();
      session.close();
    });

    it('takes a body as large as the service does', async () => {
      const body = JSON.stringify({ events: 'x'.repeat(1_000_000) });
      const { status } = await askAt({ port, path: '/api/flows', headers: {} }, { method: 'POST', body });
      expect(status).to.equal(401); // from the service: an identity is checked first
    });
  });

function production() {
  const directory = temporaryDirectory();
  const keys = join(directory, 'signing-keys.json');
  writeFileSync(keys, generateSigningKeys());
  return {
    MODE: 'production',
    MCP: 'on',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://hooks.example.com',
    TRUSTED_PROXIES: '127.0.0.1',
    SIGNING_KEYS: keys,
    MASTER_KEYS: `g1:${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 11) % 251)).toString('base64')}`,
    ADMIN_KEYS: 'ops:owner:Zq3kT8vNw2yXb5cRj7mHd9pLs4gFu6aE',
    LOGIN_URLS: '{"hooks.example.com":"https://login.example.com/","evil.example.com":"https://evil.example.com/"}',
    LOGIN_ISSUER: 'https://login.example.com',
    LOGIN_JWKS: 'http://127.0.0.1:1/jwks.json',
    LOGIN_AUDIENCE: 'https://hooks.example.com',
  };
}

type Asked = { port: number; path: string; headers: Readonly<Record<string, string>> };
type Answered = { status: number; headers: IncomingHttpHeaders; rawNames: readonly string[]; body: string };

async function askAt({ port, path, headers }: Asked, sent: { method: string; body?: string }): Promise<Answered> {
  const json = sent.body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = request({
    ...{ host: '127.0.0.1', port, path, method: sent.method, servername: 'hooks.example.com' },
    ...{ rejectUnauthorized: false, agent: false },
    headers: { host: `hooks.example.com:${port}`, ...json, ...headers },
  });
  asked.end(sent.body);
  const [answer] = await once(asked, 'response');
  const names = (answer.rawHeaders as readonly string[]).filter((_, index) => index % 2 === 0);
  return { status: answer.statusCode, headers: answer.headers, rawNames: names, body: await text(answer) };
}
