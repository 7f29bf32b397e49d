import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { refusalOf } from '../../../src/deliveries/target-guard/address-policy.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { TargetNotAllowed, type TargetPolicy } from '../../../src/deliveries/target-guard/target-judge.js';
import { rejection } from '../../support/rejection.js';

const strict = { allowHttp: false, allowLoopback: false, allowedTargets: [] } satisfies TargetPolicy;
const development = { ...strict, allowHttp: true, allowLoopback: true };
const nowhere = async () => Promise.reject(new Error('no resolver'));
const resolvesTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const check = (
  url: string,
  policy: TargetPolicy = strict,
  resolve: () => Promise<{ address: string; family: number }[]> = nowhere,
) => targetGuard(policy, { resolve, checkTimeoutMs: 50 }).check(url);

describe('the target guard, at subscribe', () => {
  const refused: readonly (readonly [what: string, url: string])[] = [
    ['plain http', 'http://hooks.example.com/'],
    ['another scheme', 'ftp://hooks.example.com/'],
    ['a user name', 'https://user@hooks.example.com/'],
    ['a password', 'https://:secret@hooks.example.com/'],
    ['a host in front of an @', 'https://hooks.example.com@127.0.0.1/'],
    ['the port of another protocol', 'https://hooks.example.com:25/'],
    ['port 0', 'https://hooks.example.com:0/'],
    ['the local host', 'https://localhost/'],
    ['the local host with a dot', 'https://localhost./'],
    ['a name below localhost', 'https://api.localhost/'],
    ['a loopback address', 'https://127.0.0.1/'],
    ['one with a dot', 'https://127.0.0.1./'],
    ['one in decimal', 'https://2130706433/'],
    ['one in hexadecimal', 'https://0x7f000001/'],
    ['one in octal', 'https://0177.0.0.1/'],
    ['a short one', 'https://127.1/'],
    ['one in full-width digits', 'https://１２７.０.０.１/'],
    ['one with percent-encoding', 'https://%31%32%37.0.0.1/'],
    ['one with an ideographic full stop', 'https://127。0。0。1/'],
    ['the metadata address', 'https://169.254.169.254/latest/meta-data'],
    ['the metadata address of Azure', 'https://168.63.129.16/metadata/instance'],
    ['that one in decimal', 'https://2822734096/'],
    ['that one inside an IPv6 address', 'https://[::ffff:168.63.129.16]/'],
    ['one inside an IPv6 address', 'https://[::ffff:127.0.0.1]/'],
    ['the loopback address of IPv6', 'https://[::1]/'],
    ['the unspecified address', 'https://[::]/'],
    ['one in NAT64', 'https://[64:ff9b::a9fe:a9fe]/'],
    ['one in 6to4', 'https://[2002:a00:1::1]/'],
    ['one in Teredo', 'https://[2001:0:808:808::f5ff:fffe]/'],
    ['a unique local one', 'https://[fd00:ec2::254]/'],
    ['one of SRv6', 'https://[5f00::1]/'],
    ['a mapped one in IPv4 notation', 'https://[::ffff:169.254.169.254]/'],
    ['an octal one of few parts', 'https://0177.1/'],
    ['one that mixes bases', 'https://0xa9.254.0xa9fe/'],
    ['a user name that looks like a host', 'https://hooks.example.com:443@10.0.0.1/'],
    ['the local host in circled letters', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/'],
  ];
  for (const [what, url] of refused) {
    it(`refuses ${what}`, async () => {
      const error = await rejection(check(url));
      expect(error).to.be.an.instanceOf(TargetNotAllowed).with.property('code', 'target_not_allowed');
      expect(String(error)).not.to.include(new URL(url).hostname);
    });
  }

  it('accepts https on public addresses and on names that do not resolve for now', async () => {
    await check('https://hooks.example.com/a?b=c');
    await check('https://hooks.example.com:8443/');
    await check('https://8.8.8.8/');
    await check('https://[2606:4700:4700::1111]/');
    await check('https://bücher.example/', strict, resolvesTo('8.8.8.8'));
    await check('https://hooks.example.com./', strict, resolvesTo('8.8.8.8'));
    await check('https://hooks.example.com\\@10.0.0.1/', strict, resolvesTo('8.8.8.8')); // the @ is in the path
  });

  it('refuses a name of which one address among several is not public', async () => {
    const both = resolvesTo('8.8.8.8', '10.0.0.1');
    const refused = await rejection(check('https://rebind.example.com/', strict, both));
    expect(refused).to.be.an.instanceOf(TargetNotAllowed);
    expect((refused as Error).message, 'nothing of what a name leads to').not.to.match(/private|loopback|10\./);
  });

  it('does not wait for a resolver that does not answer', async () => {
    await check('https://hooks.example.com/', strict, () => new Promise(() => undefined));
  });

  it('accepts http and loopback in development, and nothing else that is not public', async () => {
    await check('http://localhost:8080/', development);
    await check('http://127.0.0.1:8080/', development);
    await check('http://[::1]:8080/', development);
    expect(await rejection(check('http://10.0.0.1/', development))).to.be.an.instanceOf(TargetNotAllowed);
    expect(await rejection(check('http://169.254.169.254/', development))).to.be.an.instanceOf(TargetNotAllowed);
  });

  it('accepts the ranges that are configured', async () => {
    const policy = { ...strict, allowedTargets: ['10.1.0.0/16', 'fd00::/8'] };
    await check('https://10.1.2.3/', policy);
    await check('https://[fd00::1]/', policy);
    await check('https://[::ffff:10.1.2.3]/', policy);
    expect(await rejection(check('https://10.2.0.1/', policy))).to.be.an.instanceOf(TargetNotAllowed);
  });

  it('accepts names whose addresses are in the configured ranges, the local one too', async () => {
    const v4Only = { ...strict, allowedTargets: ['127.0.0.0/8', '10.1.0.0/16'] };
    const local = resolvesTo('127.0.0.1', '::1');
    for (const name of ['localhost', 'localhost.', 'shop.localhost']) await check(`https://${name}/`, v4Only, local);
    await check('https://localhost/', { ...strict, allowedTargets: ['::1/128'] }, local);
    await check('https://erp.internal/', v4Only, resolvesTo('10.1.2.3'));
  });

  it('refuses names whose addresses are in no configured range, the local one too', async () => {
    const policy = { ...strict, allowedTargets: ['10.1.0.0/16'] };
    const attacks = [
      ['https://localhost/', resolvesTo('127.0.0.1', '::1')],
      ['https://shop.localhost/', resolvesTo('10.1.2.3')],
      ['https://erp.internal/', resolvesTo('10.2.0.1')],
      ['https://erp.internal/', resolvesTo('10.1.2.3', '10.2.0.1')],
      ['https://erp.internal/', resolvesTo('127.0.0.1')],
    ] as const;
    for (const [url, resolve] of attacks)
      expect(await rejection(check(url, policy, resolve)), url).to.be.an.instanceOf(TargetNotAllowed);
    const other = { ...strict, allowedTargets: ['127.0.0.0/8'] };
    const elsewhere = check('https://shop.localhost/', other, resolvesTo('10.2.0.1'));
    expect(await rejection(elsewhere)).to.be.an.instanceOf(TargetNotAllowed);
  });
});

describe('the address policy', () => {
  const notPublic: Readonly<Record<string, readonly string[]>> = {
    'this network': ['0.0.0.0', '0.255.255.255'],
    private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    CGNAT: ['100.64.0.1', '100.127.255.255'],
    loopback: ['127.0.0.1', '127.255.255.254', '::1'],
    metadata: ['168.63.129.16', '169.254.169.254', 'fd00:ec2::254'],
    'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1'],
    'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001:2::1', '2001:10::1'],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'relays and AS112': ['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '2620:4f:8000::1'],
    benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2:0:1::1'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
    reserved: ['240.0.0.1', '255.255.255.255'],
    'unique local': ['fc00::1', 'fd12:3456::1'],
    'site-local': ['fec0::1'],
    'discard only': ['100::1'],
    SRv6: ['5f00::1'],
    'local NAT64': ['64:ff9b:1::a00:1'],
    unspecified: ['::'],
    scoped: ['fe80::1%eth0', '2606:4700::1%1'],
  };
  for (const [kind, addresses] of Object.entries(notPublic)) {
    it(`refuses ${kind} addresses`, () => {
      for (const address of addresses) expect(refusalOf(address, strict), address).to.be.a('string');
    });
  }

  /**
   * The IANA special-purpose address registries: RFC 6890 and what has been added since, with what they name but do not
   * list (multicast, the rest of 240.0.0.0/4). Carriers of IPv4 addresses have a test of their own.
   */
  const specialPurpose = [
    ...['0.0.0.0/8', '0.0.0.0/32', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.0.0/29', '192.0.0.8/32', '192.0.0.9/32', '192.0.0.10/32', '192.0.0.170/31'],
    ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
    ...['::1/128', '::/128', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001:1::1/128', '2001:1::2/128'],
    ...['2001:1::3/128', '2001:2::/48', '2001:3::/32', '2001:4:112::/48', '2001:10::/28', '2001:20::/28'],
    ...['2001:30::/28', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10'],
    ...['fec0::/10', 'ff00::/8'],
  ];
  for (const cidr of specialPurpose) {
    it(`refuses the first and the last address of ${cidr}, and those between`, () => {
      const [first, bits] = ipaddr.parseCIDR(cidr);
      const bytes = first.toByteArray();
      const within = (filled: (index: number) => number) =>
        ipaddr
          .fromByteArray(
            bytes.map((byte, index) => {
              const fixed = Math.max(0, Math.min(8, bits - index * 8));
              const free = 0xff >> fixed;
              return (byte & ~free & 0xff) | (filled(index) & free);
            }),
          )
          .toString();
      expect(
        refusalOf(
          within(() => 0),
          strict,
        ),
        'first',
      ).to.be.a('string');
      expect(
        refusalOf(
          within(() => 0xff),
          strict,
        ),
        'last',
      ).to.be.a('string');
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 16, maxLength: 16 }), (free) => {
          const address = within((index) => free[index] ?? 0);
          expect(refusalOf(address, strict), address).to.be.a('string');
        }),
        { numRuns: 30 },
      );
    });
  }

  it('accepts what is next to those ranges', () => {
    const next = ['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1'];
    const nextToMetadata = ['168.63.129.15', '168.63.129.17'];
    const more = ['172.15.255.255', '172.32.0.0', '192.167.255.255', '198.17.255.255', '198.20.0.0', '223.255.255.255'];
    for (const address of [...next, ...nextToMetadata, ...more, '2001:200::1', '2620:4f:8001::1']) {
      expect(refusalOf(address, strict), address).to.equal(undefined);
    }
  });

  it('refuses what is no address', () => {
    for (const text of ['', 'localhost', '1.2.3.4.5', '::g']) expect(refusalOf(text, strict)).to.be.a('string');
  });

  const byte = fc.integer({ min: 0, max: 255 });
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);

  it('judges a mapped or translated address as the IPv4 address inside', () => {
    const special = fc.constantFrom(
      '10.0.0.1',
      '127.0.0.1',
      '168.63.129.16',
      '169.254.169.254',
      '192.168.1.1',
      '8.8.8.8',
      '224.0.0.1',
    );
    const any = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
    fc.assert(
      fc.property(fc.oneof(special, any), (inside) => {
        const [a = 0, b = 0, c = 0, d = 0] = inside.split('.').map(Number);
        fc.pre(a + b + c > 0); // `::0.0.0.x` is its own address
        const [high, low] = [hex(a, b), hex(c, d)];
        const judged = refusalOf(inside, strict);
        for (const carrier of [`::ffff:${high}:${low}`, `::ffff:0:${high}:${low}`, `64:ff9b::${high}:${low}`]) {
          expect(refusalOf(carrier, strict), carrier).to.equal(judged);
        }
        expect(refusalOf(`::${high}:${low}`, strict)).to.equal(judged);
        expect(refusalOf(`2002:${high}:${low}::1`, strict)).to.equal(judged);
        const client = [hex(a ^ 255, b ^ 255), hex(c ^ 255, d ^ 255)].join(':');
        expect(refusalOf(`2001:0:808:808:0:0:${client}`, strict), 'Teredo client').to.equal(judged);
        expect(refusalOf(`2001:0:${high}:${low}::f7f7:f7f7`, strict), 'Teredo server').to.equal(judged);
      }),
    );
  });
});

describe('the target guard, at connect', () => {
  let server: Server;
  let port: number;
  let reached = 0;

  before(async () => {
    server = createServer((_request, response) => response.end());
    server.on('connection', () => {
      reached += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    reached = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const connect = (
    policy: TargetPolicy,
    hostname: string,
    resolve: () => Promise<{ address: string; family: number }[]>,
  ) =>
    new Promise<void>((done, fail) => {
      const options = { protocol: 'http:', hostname, host: `${hostname}:${port}`, port: String(port) };
      targetGuard(policy, { resolve }).connect(options, (error, socket) => {
        if (error) return fail(error);
        socket?.destroy();
        done();
      });
    });

  it('connects to the addresses that it has judged', async () => {
    let asked = 0;
    await connect(development, 'hook.example.com', async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    });
    expect(asked).to.equal(1);
  });

  it('refuses a name that leads elsewhere by now, and does not connect', async () => {
    const policy = { ...strict, allowHttp: true };
    const moved = await rejection(connect(policy, 'hook.example.com', resolvesTo('8.8.8.8', '127.0.0.1')));
    expect(moved).to.be.an.instanceOf(TargetNotAllowed);
    expect(reached).to.equal(0);
  });

  it('connects to the address of localhost that is in the configured ranges, and to no other', async () => {
    const local = resolvesTo('::1', '127.0.0.1');
    await connect({ ...strict, allowHttp: true, allowedTargets: ['127.0.0.0/8'] }, 'localhost', local);
    const v6Only = { ...strict, allowHttp: true, allowedTargets: ['::1/128'] };
    expect(await rejection(connect(v6Only, 'localhost', local))).to.have.property('code', 'ECONNREFUSED');
    expect(await rejection(connect({ ...strict, allowHttp: true }, 'localhost', local))).to.be.instanceOf(
      TargetNotAllowed,
    );
  });

  it('refuses a literal address without asking a resolver', async () => {
    const policy = { ...strict, allowHttp: true };
    expect(await rejection(connect(policy, '127.0.0.1', nowhere))).to.be.an.instanceOf(TargetNotAllowed);
    expect(reached).to.equal(0);
  });

  it('fails as the network does where a name has no address', async () => {
    expect(await rejection(connect(development, 'hook.example.com', async () => []))).to.have.property(
      'code',
      'ENOTFOUND',
    );
  });
});
