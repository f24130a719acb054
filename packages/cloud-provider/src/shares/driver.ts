/** Name of the provisioner in StorageClasses: that of manila-csi-plugin. */
export const SHARE_DRIVER = 'manila.csi.openstack.org';

/** Annotation of PersistentVolumes: the id of their share. */
export const SHARE_ANNOTATION = 'fairway.dev/share';
/** In a share's metadata: the networks of node addresses with access; all addresses if unset. */
export const SHARE_CLIENT_KEY = 'fairway.dev/share-client';
