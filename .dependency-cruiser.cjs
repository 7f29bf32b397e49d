/**
 * The layers that docs/architecture.md describes, from the bottom to the top: a module imports only those that it names, and
 * each of them stands above it in this table. `kernel` is open to all. Type imports count: a type that is needed from a layer
 * above belongs further down.
 */
const modules = {
  kernel: [],
  stores: [],
  events: ['stores'],
  views: ['stores'],
  http: ['stores'],
  projections: ['views', 'events', 'stores'],
  queue: ['events', 'stores'],
  access: ['projections', 'views', 'http', 'events', 'stores'],
  listeners: ['access', 'queue', 'projections', 'views', 'http', 'events', 'stores'],
  flows: ['listeners', 'access', 'projections', 'views', 'http', 'events', 'stores'],
  deliveries: ['queue', 'flows', 'listeners', 'access', 'projections', 'views', 'events', 'stores'],
  'store-copy': ['queue', 'access', 'stores'],
  audit: ['store-copy', 'flows', 'listeners', 'access', 'projections', 'views', 'http', 'events', 'stores'],
  admin: [
    'audit',
    'deliveries',
    'queue',
    'flows',
    'listeners',
    'access',
    'projections',
    'views',
    'http',
    'events',
    'stores',
  ],
  mcp: [
    'admin',
    'deliveries',
    'queue',
    'flows',
    'listeners',
    'access',
    'projections',
    'views',
    'http',
    'events',
    'stores',
  ],
  site: ['admin', 'access', 'http', 'stores'],
  console: [
    'site',
    'admin',
    'audit',
    'deliveries',
    'queue',
    'flows',
    'listeners',
    'access',
    'projections',
    'views',
    'http',
    'events',
    'stores',
  ],
  service: [
    'mcp',
    'console',
    'site',
    'admin',
    'audit',
    'store-copy',
    'deliveries',
    'queue',
    'flows',
    'listeners',
    'access',
    'projections',
    'views',
    'http',
    'events',
    'stores',
  ],
  cli: [
    'service',
    'admin',
    'audit',
    'store-copy',
    'deliveries',
    'queue',
    'flows',
    'listeners',
    'access',
    'projections',
    'views',
    'http',
    'events',
    'stores',
  ],
  main: ['service'],
};

const names = Object.keys(modules);
for (const [module, others] of Object.entries(modules)) {
  const above = others.filter((other) => names.indexOf(other) >= names.indexOf(module));
  if (above.length > 0) throw new Error(`${module} may not import ${above.join(', ')}: not below it, or not a module`);
}

/** The parts of the larger modules: a part imports only the parts that it names, and files of the module outside of them. */
const parts = {
  stores: {
    sqlite: [],
    mongodb: [],
    'event-store': ['sqlite'],
    leases: ['mongodb'],
    'rate-counts': ['mongodb'],
  },
  views: {
    sqlite: [],
    mongodb: [],
    rebuilding: [],
    following: ['rebuilding'],
  },
  access: {
    identity: [],
    'api-keys': ['identity'],
    keys: [],
    clients: [],
    consents: [],
    'sign-in': ['clients', 'keys'],
    providers: ['clients', 'consents', 'sign-in', 'keys'],
    portal: ['providers'],
    tokens: ['clients', 'sign-in', 'identity', 'keys'],
    sessions: ['tokens', 'clients', 'identity', 'api-keys', 'keys'],
  },
  queue: {
    policy: [],
    'first-attempts': ['policy'],
    sqlite: ['policy'],
    mongodb: ['policy'],
  },
  deliveries: {
    'target-guard': [],
    transforms: [],
    posting: ['target-guard'],
    'fan-out': [],
    worker: ['posting', 'transforms'],
    queries: ['commands', 'fan-out', 'transforms'],
    commands: ['queries', 'fan-out', 'transforms'],
    explain: ['queries', 'fan-out', 'transforms'],
  },
  admin: {
    feed: [],
    replays: ['feed'],
    erasure: ['replays'],
    keys: [],
    api: ['erasure', 'feed', 'keys', 'replays'],
  },
  site: {
    components: [],
    live: [],
    brand: [],
    derived: ['components', 'live'],
  },
  console: {
    session: [],
    pages: [],
    portal: ['pages'],
  },
};

const rootOf = (module) => {
  if (module === 'main') return '^src/main\\.ts$';
  return module === 'projections' ? '^projections/' : `^src/${module}/`;
};

const moduleRules = Object.entries(modules).map(([module, others]) => ({
  name: `imports-of-${module}`,
  comment: `${module} imports only kernel and: ${others.join(', ') || 'nothing else'}`,
  severity: 'error',
  from: { path: rootOf(module) },
  to: {
    path: '^(src|projections|test|bench|tools|bin)/',
    pathNot: [module, 'kernel', ...others].map(rootOf),
  },
}));

const partRules = Object.entries(parts).flatMap(([module, all]) =>
  Object.entries(all).flatMap(([part, others]) => {
    const refused = Object.keys(all).filter((other) => other !== part && !others.includes(other));
    if (refused.length === 0) return []; // without a path a rule would refuse everything
    return {
      name: `imports-of-${module}-${part}`,
      comment: `within ${module}, ${part} imports only: ${others.join(', ') || 'nothing'}`,
      severity: 'error',
      from: { path: `^src/${module}/${part}/` },
      to: { path: refused.map((other) => `^src/${module}/${other}/`) },
    };
  }),
);

const adapter = '/(sqlite|mongodb|eventstoredb)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'files that import each other can be read, tested and moved only together',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'known-modules',
      comment: 'a new folder of src/ needs a line in the table of modules, and in docs/architecture.md',
      severity: 'error',
      from: { path: '^src/', pathNot: names.map(rootOf) },
      to: {},
    },
    ...moduleRules,
    ...partRules,
    {
      name: 'adapters-in-the-composition',
      comment: 'all code but the composition (service/) works on ports',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: ['^src/service/', adapter] },
      to: { path: `^src/.*${adapter}` },
    },
    {
      name: 'adapters-know-their-own-technology',
      comment: 'an adapter imports its own folder and the connections of its technology, no other adapter',
      severity: 'error',
      from: { path: '^(src/.*)/(sqlite|mongodb|eventstoredb)/' },
      to: { path: `^src/.*${adapter}`, pathNot: ['^$1/$2/', '^src/stores/$2/'] },
    },
    {
      name: 'pure-projections',
      comment: 'a projection is a value: event types, and the language in which it is written',
      severity: 'error',
      from: { path: '^projections/' },
      to: {
        pathNot: [
          '^projections/',
          '^src/events/',
          '^src/views/projection\\.ts$',
          '^src/stores/event-store/(codec|erasure-events)\\.ts$',
        ],
      },
    },
    {
      name: 'the-double-stands-alone',
      comment: 'the double of EventStoreDB could be a package of its own',
      severity: 'error',
      from: { path: '^test/eventstoredb-double/' },
      to: { path: '^(src|projections|test|bench|tools|bin)/', pathNot: '^test/eventstoredb-double/' },
    },
    {
      name: 'no-collections-of-leftovers',
      comment: 'a file is named after its one idea, and imported by its own name',
      severity: 'error',
      from: {},
      to: { path: ['/(utils|helpers|shared|common)/', '^src/.*index\\.ts$'], pathNot: 'node_modules/' },
    },
    {
      name: 'resolved',
      comment: 'what is not found is not checked',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // TypeScript 7 has no API for other programs. SWC parses the sources as they are, type imports included.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    moduleSystems: ['es6'],
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
