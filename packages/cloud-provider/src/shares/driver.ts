import { MANILA_DRIVER } from '@fairway/kube/kinds/csi-source';

/** Name of the provisioner in StorageClasses: that of manila-csi-plugin. */
export const SHARE_DRIVER = MANILA_DRIVER;

/** Annotation on PersistentVolumes that contains the ID of their share. */
export const SHARE_ANNOTATION = 'fairway.dev/share';
/**
 * Key in a share's metadata that contains the networks of the node addresses with access; all addresses have access if
 * unset.
 */
export const SHARE_CLIENT_KEY = 'fairway.dev/share-client';
