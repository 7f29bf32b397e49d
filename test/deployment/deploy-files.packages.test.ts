import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { mcpPath } from '../../src/access/protected-resource.js';
import { openApiDocument } from '../../src/http/api-description/openapi-document.js';
import { allRoutes } from '../../src/service/documentation/documentation.js';
import { chart, chartDigest, manifestsPath } from '../support/helm/helm.js';
import { type Manifest, parseManifests, validateManifest } from '../support/helm/validate-manifest.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const project = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, project), 'utf8');

describe('deploy/flow-hooks.service', () => {
  // `systemd-analyze verify` also checks that the program exists.
  const verify = (unit: string) => {
    const path = join(temporaryDirectory(), 'flow-hooks.service');
    const program = fileURLToPath(new URL('bin/flow-hooks.js', project));
    writeFileSync(path, unit.replace('/opt/flow-hooks/node_modules/.bin/flow-hooks serve', `${program} serve`));
    return spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  };

  it('is accepted by systemd-analyze without a warning', () => {
    const { error, status, stderr } = verify(read('deploy/flow-hooks.service'));
    expect(error, 'Debian’s package systemd has systemd-analyze').to.equal(undefined);
    expect(stderr).not.to.include('flow-hooks.service');
    expect(status, stderr).to.equal(0);
  });

  it('is refused with a misspelt option', () => {
    const { stderr } = verify(read('deploy/flow-hooks.service').replace('ProtectHome=', 'ProtectHouse='));
    expect(stderr).to.match(/flow-hooks\.service:\d+: .*ProtectHouse/);
  });

  it('gives the service few privileges: systemd rates its exposure at 2.0 or less', () => {
    const unit = join(temporaryDirectory(), 'flow-hooks.service');
    writeFileSync(unit, read('deploy/flow-hooks.service'));
    const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
      encoding: 'utf8',
    });
    expect(report).to.match(/Overall exposure level for flow-hooks\.service: [01]\.\d|: 2\.0/);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const text = read(manifestsPath);
  const manifests = parseManifests(text);
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');

  it('is rendered from the chart as it is now', () => {
    const [, digest] = /^# sha256 of the chart: (\w{64})$/m.exec(text) ?? [];
    expect(digest, 'the chart has changed: run `npm run manifests`').to.equal(chartDigest());
  });

  it('holds manifests that the schemas of Kubernetes accept', () => {
    const kinds = [...new Set(manifests.map(({ kind }) => kind))];
    expect(kinds).to.have.members(['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']);
    for (const manifest of manifests) validateManifest(manifest);
  });

  it('would be refused with a probe of the wrong type', () => {
    const [deployment] = deployments;
    const wrong = JSON.parse(JSON.stringify(deployment).replaceAll('"periodSeconds":5', '"periodSeconds":"often"'));
    expect(() => validateManifest(wrong as Manifest)).to.throw(/periodSeconds/);
  });

  it('has a part for each role of the service', () => {
    const roles = deployments.map(
      (deployment) => /"name":"ROLES","value":"(\w+)"/.exec(JSON.stringify(deployment))?.[1],
    );
    expect(roles).to.have.members(['api', 'projector', 'dispatcher']);
  });

  it('gives no pod more than it needs: not root, nothing writable but /tmp, no rights in the cluster, keys from secrets', () => {
    for (const deployment of deployments) {
      const pod = (deployment.spec as { template: { spec: object } }).template.spec;
      expect(pod).to.deep.include({ automountServiceAccountToken: false });
      const json = JSON.stringify(pod);
      for (const part of [
        '"runAsNonRoot":true',
        '"readOnlyRootFilesystem":true',
        '"drop":["ALL"]',
        '"type":"RuntimeDefault"',
      ]) {
        expect(json, deployment.metadata.name).to.include(part);
      }
      expect(json.match(/"secretName":"flow-hooks"/g)).to.have.length(1);
      expect(json).to.include('"secretRef":{"name":"flow-hooks-environment"}');
    }
    expect(manifests.map(({ kind }) => kind)).not.to.include('Secret');
  });

  it('probes routes that the service has, and names settings that are documented', () => {
    for (const deployment of deployments) {
      const paths = [...JSON.stringify(deployment).matchAll(/"path":"(\/[^"]*)"/g)].map(([, path]) => path);
      expect(paths).to.have.members(['/readyz', '/healthz', '/healthz']);
    }
    const documented = read('docs/settings.md');
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as { data: Record<string, string> };
    expect(Object.keys(data).filter((name) => !documented.includes(`\`${name}\``))).to.deep.equal([]);
  });
});

describe('the values of the chart', () => {
  const values = parse(read(`${chart}/values.yaml`)) as { ingress: { paths: readonly string[] } };

  it('let the ingress pass every route to the service but those of operators', () => {
    const description = { hooksPrefix: '/api/hooks', publicUrl: 'https://hooks.example.com' };
    const { paths } = openApiDocument(allRoutes(description), {
      version: '',
      publicUrl: '/',
      development: false,
    });
    const isPassed = (path: string) => values.ingress.paths.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
    const isOfOperators = (path: string) => /^\/(admin\/api|console|metrics|healthz|readyz|sign-in)\b/.test(path);
    const routes = [...Object.keys(paths), mcpPath]; // which is no route of the API
    expect(routes).to.have.length.above(40);
    expect(routes.filter((path) => isPassed(path) === isOfOperators(path))).to.deep.equal([]);
  });
});
