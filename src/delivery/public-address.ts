import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IPv4 networks that are no place on the internet: this machine, private and shared ones, link-local, and the reserved. */
const INNER_4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Clouds serve a machine's own credentials here.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/**
 * Of IPv6, the internet is what is given out for it, and of that not what wraps an IPv4 address, which would lead
 * inside by another name: Teredo (in 2001::/23) and 6to4. The rest, such as NAT64, site-local and what is not given
 * out yet, is no place on it.
 */
const OUTER_6 = ['2000::', 3] as const;
const INNER_6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const inner = new BlockList();
for (const [network, bits] of INNER_4) inner.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of INNER_6) inner.addSubnet(network, bits, 'ipv6');
const outer = new BlockList();
outer.addSubnet(...OUTER_6, 'ipv6');

/** Whether an address is one that anybody on the internet could mean. IPv4 written as IPv6 counts as what it is. */
export function isPublic(address: string): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  switch (isIP(plain)) {
    case 4:
      return !inner.check(plain, 'ipv4');
    case 6:
      return outer.check(plain, 'ipv6') && !inner.check(plain, 'ipv6');
    default:
      return false;
  }
}

/** A name that leads inside, where nobody who may only name places outside may lead us. */
export class InnerAddress extends Error {
  override readonly name = 'InnerAddress';
}

/**
 * Looks a name up for a connection and refuses it where any of its addresses is an inner one. The connection is
 * made to the very addresses that were checked, so a name that answers differently the next time gains nothing.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found as LookupAddress[] | undefined;
    if (error) return callback(error, '', 0);
    const bad = addresses?.find(({ address }) => !isPublic(address));
    const [first] = addresses ?? [];
    if (bad || !first)
      return callback(
        new InnerAddress(`${hostname} leads to an inner address, where no call-back may go`),
        '',
        0,
      );
    if (options.all)
      return (callback as unknown as (e: null, all: LookupAddress[]) => void)(null, addresses ?? []);
    callback(null, first.address, first.family);
  });
};
