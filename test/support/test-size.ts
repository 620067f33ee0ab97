/** How much is tested: `npm run test:long` also runs the larger sizes, and the variants that seldom differ. */
export const isLong = process.env["TEST_SIZE"] === "long";
