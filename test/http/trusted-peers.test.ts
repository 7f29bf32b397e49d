import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { trustedPeers } from '../../src/http/trusted-peers.js';

/** A request from an address, through the senders that `X-Forwarded-For` names. */
const request = (remoteAddress: string | undefined, forwardedFor?: string) =>
  ({
    socket: { remoteAddress },
    headers: { ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) },
  }) as unknown as Pick<IncomingMessage, 'socket' | 'headers'>;

describe('the peer of a request', () => {
  const { peerOf, isTrusted } = trustedPeers({
    trustedProxies: ['10.0.0.0/8', '::ffff:192.0.2.0/120', '2001:db8:1::/48'],
    trustedGateways: ['172.16.0.1/32', 'fd00::1/128'],
  });

  for (const [peer, isProxy, isGateway] of [
    ['10.1.2.3', true, false],
    ['::ffff:10.1.2.3', true, false],
    ['::FFFF:0a01:0203', true, false],
    ['192.0.2.200', true, false],
    ['::ffff:192.0.2.200', true, false],
    ['192.0.3.1', false, false],
    ['2001:db8:1::7', true, false],
    ['2001:db8:2::7', false, false],
    ['172.16.0.1', true, true],
    ['::ffff:172.16.0.1', true, true],
    ['172.16.0.2', false, false],
    ['fd00::1', true, true],
    ['::172.16.0.1', false, false], // IPv4-compatible, not mapped
    ['64:ff9b::10.1.2.3', false, false], // NAT64
    ['127.0.0.1', false, false],
    ['fe80::1%eth0', false, false],
    [undefined, false, false],
  ] as const) {
    it(`is ${isGateway ? 'a gateway' : isProxy ? 'a proxy' : 'neither proxy nor gateway'} at ${peer}`, () => {
      const { isProxy: proxy, isGateway: gateway } = peerOf(request(peer));
      expect([proxy, gateway, isTrusted(peer)]).to.eql([isProxy, isGateway, isProxy]);
    });
  }

  for (const [what, peer, forwardedFor, address] of [
    ['without the header', '10.1.2.3', undefined, '10.1.2.3'],
    ['with an empty header', '10.1.2.3', '', '10.1.2.3'],
    ['from a peer that is not trusted', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['from one of them that names a trusted address', '203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['through one proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['through a gateway and a proxy', '172.16.0.1', '198.51.100.1, 10.0.0.1', '198.51.100.1'],
    ['with senders that the client invented', '10.1.2.3', '192.0.2.1, 10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['of a client that claims a trusted address', '10.1.2.3', '10.0.0.5', '10.0.0.5'],
    ['with an IPv4-mapped peer and client', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['with ports', '10.1.2.3', '198.51.100.1:51000, 10.0.0.1:443', '198.51.100.1'],
    ['of IPv6 with a port', '10.1.2.3', '[2001:DB8::A]:51000', '2001:db8::a'],
    ['of IPv6 in brackets', '10.1.2.3', '[2001:db8::a]', '2001:db8::a'],
    ['with a sender that is no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['with one behind a trusted sender', '10.1.2.3', 'unknown, 10.0.0.1', '10.0.0.1'],
    ['with a shortened IPv4 address', '10.1.2.3', '10.1', '10.1.2.3'],
    ['with an IPv4 address as a number', '10.1.2.3', '3325256705', '10.1.2.3'],
    ['with empty entries', '10.1.2.3', '198.51.100.1,,', '10.1.2.3'],
  ] as const) {
    it(`has the client’s address ${what}: ${forwardedFor} from ${peer}`, () => {
      expect(peerOf(request(peer, forwardedFor)).address).to.equal(address);
    });
  }
});
