export { addressBytes, cidrContains } from "../support/ip-address.js";
