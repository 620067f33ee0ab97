/** Hosts that the service must never connect to, in every notation that URL parsers accept. */
export const REFUSED_HOSTS: readonly string[] = `
  127.0.0.1 127.0.0.1. 127.1 0177.0.0.1 2130706433 0x7f.1 ①②⑦.0.0.1 %31%32%37.0.0.1
  localhost localhost. LOCALHOST ｌocalhost a.localhost printer.local
  metadata.google.internal metadata.google.internal.
  0.0.0.0 0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 169.254.169.254 192.0.0.1
  192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16
  [::] [::1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:168.63.129.16] [::ffff:0:127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::a9fe:a9fe] [2002:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2]
  [2001:db8::1] [fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1]
`
  .trim()
  .split(/\s+/);
