import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { chart, helm, manifestsPath, render, renderedManifests, valuesOf } from '../support/helm/helm.js';
import { type Manifest, parseManifests, validateManifest } from '../support/helm/validate-manifest.js';

const rendered = (...args: readonly string[]): readonly Manifest[] =>
  parseManifests(render(...args)).filter((manifest) => manifest !== null);
const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((manifest) => manifest.kind === kind);

type Selecting = Manifest & { spec: { selector: { matchLabels: Readonly<Record<string, string>> } } };
type Container = Readonly<
  Record<'env' | 'volumeMounts' | 'startupProbe' | 'livenessProbe' | 'securityContext', object>
>;
type PodOwner = Manifest & {
  spec: {
    template: {
      metadata: { labels: Readonly<Record<string, string>>; annotations: Readonly<Record<string, string>> };
      spec: { containers: readonly Container[]; securityContext: object; volumes: readonly object[] };
    };
  };
};

describe('the Helm chart', function () {
  this.timeout(900_000); // the first call may build helm

  for (const values of ['example', 'everything'] as const)
    it(`passes helm lint, and renders what the schemas of Kubernetes accept, with ci/${values}-values.yaml`, () => {
      const { code, output } = helm('lint', '--strict', chart, ...valuesOf(values));
      expect(code, output).to.equal(0);
      expect(output).to.include('0 chart(s) failed');
      const manifests = rendered(...valuesOf(values));
      expect(manifests.length).to.be.at.least(10);
      for (const manifest of manifests) validateManifest(manifest);
    });

  it('renders the plain manifests of the repository', () => {
    expect(readFileSync(manifestsPath, 'utf8'), 'run `npm run manifests`').to.equal(renderedManifests());
  });

  it('says what is missing without values', () => {
    const { code, errors } = helm('template', 'flow-hooks', chart);
    expect(code).to.equal(1);
    expect(errors).to.include('/image/repository').and.include('PUBLIC_URL').and.include('LOGIN_PROVIDERS');
  });

  for (const [what, value, message] of [
    ['a misspelt value', 'ingres.enabled=true', 'ingres'],
    ['a secret among the settings', 'settings.MONGODB_URL=mongodb://a:b@c/d', 'MONGODB_URL'],
    ['a public address without TLS', 'settings.PUBLIC_URL=http://hooks.example.com', 'PUBLIC_URL'],
    ['the earlier name of a value', 'image.pullSecrets[0].name=registry', 'image.pullSecrets is now imagePullSecrets'],
    ['a setting of the chart among extra variables', 'extraEnv[0].name=ROLES', '/extraEnv/0/name'],
    ['an unknown role', 'parts.api.roles=web', '/parts/api/roles'],
    ['less time to stop than the service takes', 'terminationGracePeriodSeconds=10', 'terminationGracePeriodSeconds'],
  ] as const)
    it(`refuses ${what}`, () => {
      const { code, errors } = helm('template', 'flow-hooks', chart, ...valuesOf('example'), '--set', value);
      expect(code).to.equal(1);
      expect(errors).to.include(message);
    });

  it('leaves the number of pods to the autoscaler where there is one', () => {
    const manifests = rendered(...valuesOf('everything'));
    const [autoscaler] = ofKind(manifests, 'HorizontalPodAutoscaler');
    expect(ofKind(manifests, 'HorizontalPodAutoscaler')).to.have.length(1);
    expect(autoscaler?.metadata.name).to.equal('flow-hooks-api');
    const replicas = ofKind(manifests, 'Deployment').map(({ metadata, spec }) => [
      metadata.name,
      (spec as { replicas?: number }).replicas,
    ]);
    expect(Object.fromEntries(replicas)).to.deep.equal({
      'flow-hooks-api': undefined,
      'flow-hooks-projector': 2,
      'flow-hooks-worker': 4,
    });
  });

  it('keeps the API at the old release in the first step of an upgrade', () => {
    const images = ofKind(rendered(...valuesOf('everything')), 'Deployment').map(({ metadata, spec }) => [
      metadata.name,
      /"image":"[^"]*:([\d.]+)"/.exec(JSON.stringify(spec))?.[1],
    ]);
    expect(Object.fromEntries(images)).to.deep.equal({
      'flow-hooks-api': '1.0.0',
      'flow-hooks-projector': '1.0.1',
      'flow-hooks-worker': '1.0.1',
    });
  });

  it('gives pods what their operators add: account, labels, variables, volumes, probes, contexts', () => {
    const [api] = ofKind(rendered(...valuesOf('everything')), 'Deployment') as unknown as readonly PodOwner[];
    const { metadata, spec } = api?.spec.template ?? expect.fail('there is no Deployment');
    expect(metadata.labels).to.include({
      'sidecar.example.com/inject': 'false',
      'app.kubernetes.io/name': 'callbacks',
    });
    expect(metadata.labels).to.include({ 'app.kubernetes.io/part-of': 'flow-hooks' });
    expect(metadata.labels).to.include({ 'app.kubernetes.io/managed-by': 'Helm', 'helm.sh/chart': 'flow-hooks-1.0.0' });
    expect(metadata.annotations).to.include({ 'example.com/team': 'callbacks' });
    expect(spec).to.deep.include({ serviceAccountName: 'flow-hooks', priorityClassName: 'important' });
    expect(spec).to.deep.include({ imagePullSecrets: [{ name: 'registry' }], automountServiceAccountToken: false });
    expect(spec).to.have.nested.property('affinity.nodeAffinity');
    expect(spec.securityContext).to.include({ runAsUser: 2_000, runAsNonRoot: true });
    expect(spec.volumes).to.deep.include({ name: 'authority', configMap: { name: 'authority' } });
    const [container] = spec.containers;
    expect(container?.env).to.deep.include({ name: 'NODE_EXTRA_CA_CERTS', value: '/run/authority/ca.pem' });
    expect(container?.volumeMounts).to.deep.include({ name: 'authority', mountPath: '/run/authority', readOnly: true });
    expect(container).to.have.nested.property('startupProbe.failureThreshold', 3_600);
    expect(container).to.have.nested.property('startupProbe.httpGet.path', '/readyz');
    expect(container).to.have.nested.property('livenessProbe.initialDelaySeconds', 5);
    expect(container?.securityContext).to.include({ privileged: false, readOnlyRootFilesystem: true });
  });

  it('has a monitor that selects a Service of all parts', () => {
    const manifests = rendered(...valuesOf('everything'));
    const [monitor] = ofKind(manifests, 'ServiceMonitor') as unknown as readonly Selecting[];
    const services = ofKind(manifests, 'Service') as unknown as readonly Selecting[];
    const wanted = Object.entries(monitor?.spec.selector.matchLabels ?? {});
    const selected = services.filter(({ metadata }) =>
      wanted.every(([name, value]) => metadata.labels[name] === value),
    );
    expect(selected.map(({ metadata }) => metadata.name)).to.deep.equal(['flow-hooks-metrics']);
    expect(selected[0]?.spec.selector).not.to.have.property('app.kubernetes.io/component');
    expect(monitor?.metadata.labels).to.include({ release: 'prometheus' });
    expect(ofKind(rendered(...valuesOf('example')), 'ServiceMonitor')).to.deep.equal([]);
  });

  it('names everything as fullnameOverride says', () => {
    const manifests = rendered(...valuesOf('everything'), '--set', 'fullnameOverride=other');
    for (const { metadata } of manifests) expect(metadata.name).to.match(/^other(-|$)/);
    expect(JSON.stringify(manifests)).not.to.match(/"name":"flow-hooks-(api|worker|projector)"/);
  });

  it('keeps two releases in a namespace apart', () => {
    const [one, other] = ['one', 'other'].map((release) => {
      const { output } = helm('template', release, chart, ...valuesOf('everything'));
      return parseManifests(output);
    });
    const names = (manifests: readonly Manifest[] = []) =>
      manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names(one).filter((name) => names(other).includes(name))).to.deep.equal([]);
    const [service] = ofKind(one ?? [], 'Service');
    expect(service?.spec).to.have.nested.include({ 'selector.app\\.kubernetes\\.io/instance': 'one' });
  });

  it('replaces the pods when a setting changes', () => {
    const checksums = ['1h', '2h'].map(
      (ttl) =>
        /checksum\/settings: (\w+)/.exec(
          render(...valuesOf('example'), '--set', `settings.ACCESS_TOKEN_TTL=${ttl}`),
        )?.[1],
    );
    expect(checksums[0]).to.match(/^\w{64}$/);
    expect(checksums[0]).not.to.equal(checksums[1]);
  });
});
